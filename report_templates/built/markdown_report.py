"""Compiled from markdown/report.md.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'markdown/report.md.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_title = resolve('title')
    l_0_answer = resolve('answer')
    l_0_reason = resolve('reason')
    l_0_parts = resolve('parts')
    l_0_missing = resolve('missing')
    l_0_page = resolve('page')
    l_0_name_limit = resolve('name_limit')
    l_0_show_part = missing
    pass
    included_template = environment.get_template('markdown/_part.md.j2', 'markdown/report.md.j2')._get_default_module(context)
    l_0_show_part = getattr(included_template, 'show_part', missing)
    if l_0_show_part is missing:
        l_0_show_part = undefined(f"the template {included_template.__name__!r} (imported on line 1 in 'markdown/report.md.j2') does not export the requested name 'show_part'", name='show_part')
    context.vars['show_part'] = l_0_show_part
    context.exported_vars.discard('show_part')
    yield '## tfprof report: '
    yield str((undefined(name='title') if l_0_title is missing else l_0_title))
    yield '\n\n**'
    yield str((undefined(name='answer') if l_0_answer is missing else l_0_answer))
    yield '.** '
    yield str((undefined(name='reason') if l_0_reason is missing else l_0_reason))
    yield '\n'
    def t_1(fiter):
        for l_1_part in fiter:
            if (not environment.getattr(l_1_part, 'is_folded')):
                yield l_1_part
    for l_1_part in t_1((undefined(name='parts') if l_0_parts is missing else l_0_parts)):
        _loop_vars = {}
        pass
        yield str(context.call((undefined(name='show_part') if l_0_show_part is missing else l_0_show_part), l_1_part, _loop_vars=_loop_vars))
    l_1_part = missing
    def t_2(fiter):
        for l_1_part in fiter:
            if environment.getattr(l_1_part, 'is_folded'):
                yield l_1_part
    l_1_loop = missing
    for l_1_part, l_1_loop in LoopContext(t_2((undefined(name='parts') if l_0_parts is missing else l_0_parts)), undefined):
        l_1_rest = resolve('rest')
        _loop_vars = {}
        pass
        if environment.getattr(l_1_loop, 'first'):
            pass
            yield '\n<details>\n<summary>'
            yield str((undefined(name='rest') if l_1_rest is missing else l_1_rest))
            yield '</summary>\n'
        yield str(context.call((undefined(name='show_part') if l_0_show_part is missing else l_0_show_part), l_1_part, _loop_vars=_loop_vars))
        if environment.getattr(l_1_loop, 'last'):
            pass
            yield '\n</details>\n'
    l_1_loop = l_1_part = l_1_rest = missing
    if (undefined(name='missing') if l_0_missing is missing else l_0_missing):
        pass
        yield '\nLeft out for length: '
        yield str((undefined(name='missing') if l_0_missing is missing else l_0_missing))
        yield '; '
        yield str((undefined(name='page') if l_0_page is missing else l_0_page))
        yield ' has them.\n'
    if (undefined(name='name_limit') if l_0_name_limit is missing else l_0_name_limit):
        pass
        yield '\nNames longer than '
        yield str((undefined(name='name_limit') if l_0_name_limit is missing else l_0_name_limit))
        yield ' characters are shortened.\n'

blocks = {}
debug_info = '1=19&2=26&4=28&5=32&6=39&8=41&9=50&12=53&14=55&15=56&20=60&22=63&24=67&26=70'
