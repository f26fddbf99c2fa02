"""Compiled from html/cell_table.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/cell_table.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_style = resolve('style')
    l_0_title = resolve('title')
    l_0_tables = resolve('tables')
    l_0_pictures = resolve('pictures')
    try:
        t_1 = environment.filters['html_rows']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'html_rows' found.")
    pass
    yield '<div class="tfprof-cell">\n<style>'
    yield escape((undefined(name='style') if l_0_style is missing else l_0_style))
    yield '</style>\n<div class="identity"><strong>'
    yield escape(environment.getattr((undefined(name='title') if l_0_title is missing else l_0_title), 'text'))
    yield '</strong></div>\n'
    for l_1_table in (undefined(name='tables') if l_0_tables is missing else l_0_tables):
        _loop_vars = {}
        pass
        if environment.getattr(l_1_table, 'caption'):
            pass
            yield '<p class="reason">'
            yield escape(environment.getattr(l_1_table, 'caption'))
            yield '</p>\n'
        yield '<div class="scroll">\n<table>\n<thead>\n<tr>\n'
        for l_2_column in environment.getattr(l_1_table, 'columns'):
            _loop_vars = {}
            pass
            yield '<th scope="col"'
            if environment.getattr(l_2_column, 'is_number'):
                pass
                yield ' class="n"'
            yield '>'
            yield escape(environment.getattr(l_2_column, 'label'))
            yield '</th>\n'
        l_2_column = missing
        yield '</tr>\n</thead>\n'
        yield escape(t_1(l_1_table))
        yield '\n</table>\n</div>\n'
        for l_2_note in environment.getattr(l_1_table, 'remarks'):
            _loop_vars = {}
            pass
            yield '<p class="note">'
            yield escape(l_2_note)
            yield '</p>\n'
        l_2_note = missing
    l_1_table = missing
    for l_1_picture in (undefined(name='pictures') if l_0_pictures is missing else l_0_pictures):
        _loop_vars = {}
        pass
        yield '<figure>\n<p class="reason">'
        yield escape(environment.getattr(l_1_picture, 'title'))
        yield '</p>\n<div class="scroll">'
        yield escape(environment.getattr(l_1_picture, 'svg'))
        yield '</div>\n<figcaption>'
        yield escape(environment.getattr(l_1_picture, 'text'))
        yield '</figcaption>\n</figure>\n'
    l_1_picture = missing
    yield '</div>\n'

blocks = {}
debug_info = '3=22&4=24&5=26&6=29&7=32&13=35&14=39&18=47&21=49&22=53&25=57&27=61&28=63&29=65'
