"""A store in an object store that Arrow opens: S3, Google Cloud Storage."""

from __future__ import annotations

from contextlib import suppress

from pyarrow import fs

from tfprof_report.buckets.listing import kind_at, list_at
from tfprof_report.buckets.patience import persist
from tfprof_report.record import record


@record
class ObjectPlace:
    """A prefix of a bucket. Paths are relative to it, with slashes; all methods raise OSError.

    Objects become visible once they are complete. `name` is the URL without credentials and parameters.
    """

    files: fs.FileSystem
    root: str
    name: str
    is_local = False
    jobs = 16  # objects read at a time: nearly all of the time goes into waiting for the server

    def shown(self, path: str) -> str:
        """Return the name of a path in messages."""
        return f"{self.name.rstrip('/')}/{path}" if path else self.name

    def folders(self, folder: str = "") -> list[str]:
        """Return the names of the subfolders of a folder, sorted; empty if it does not exist.

        Raises
        ------
        OSError
            The server does not answer, or there is no such bucket, which is not an empty one.
        """
        found = list_at(self.files, self._full(folder))
        return [each.base_name for each in found if each.type == fs.FileType.Directory]

    def links(self, folder: str = "") -> list[str]:
        """Return no names, since object stores have no symbolic links."""
        del folder
        return []

    def sizes(self, folder: str) -> dict[tuple[str, ...], int]:
        """Return the sizes in bytes of all files below a folder, by the parts of their relative paths."""
        top = self._full(folder)
        selector = fs.FileSelector(top, allow_not_found=True, recursive=True)
        found = persist(lambda: self.files.get_file_info(selector))
        return {
            tuple(each.path[len(top) :].strip("/").split("/")): each.size
            for each in found
            if each.type == fs.FileType.File
        }

    def read(self, path: str) -> bytes:
        """Return the content of a file; FileNotFoundError also where it goes while it is read."""
        try:
            return persist(lambda: self._read(path))
        except FileNotFoundError:
            raise
        except OSError as problem:
            if kind_at(self.files, self._full(path)) != fs.FileType.NotFound:
                raise
            raise FileNotFoundError(path) from problem

    def _read(self, path: str) -> bytes:
        with self.files.open_input_stream(self._full(path)) as stream:
            data: bytes = stream.read()
        return data

    def write(self, path: str, data: bytes) -> None:
        """Write a file."""
        persist(lambda: self._write(path, data))

    def _write(self, path: str, data: bytes) -> None:
        with self.files.open_output_stream(self._full(path)) as stream:
            stream.write(data)

    def discard(self, path: str) -> None:
        """Remove a file; concurrent removal is fine."""
        with suppress(FileNotFoundError):
            persist(lambda: self.files.delete_file(self._full(path)))

    def remove(self, folder: str, first: str) -> None:
        """Remove a folder with its content, the file `first` before all others; concurrent removal is fine."""
        self.discard(f"{folder}/{first}")
        with suppress(FileNotFoundError):
            persist(lambda: self.files.delete_dir(self._full(folder)))

    def _full(self, path: str) -> str:
        return f"{self.root}/{path}" if path else self.root or "/"
