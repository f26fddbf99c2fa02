"""Compiled from html/reports_index.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/reports_index.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_content = resolve('content')
    l_0_policy = resolve('policy')
    l_0_style = resolve('style')
    l_0_script = resolve('script')
    l_0_show_head = l_0_show_name = missing
    pass
    included_template = environment.get_template('html/_head.html.j2', 'html/reports_index.html.j2')._get_default_module(context)
    l_0_show_head = getattr(included_template, 'show_head', missing)
    if l_0_show_head is missing:
        l_0_show_head = undefined(f"the template {included_template.__name__!r} (imported on line 1 in 'html/reports_index.html.j2') does not export the requested name 'show_head'", name='show_head')
    context.vars['show_head'] = l_0_show_head
    context.exported_vars.discard('show_head')
    included_template = environment.get_template('html/_cells.html.j2', 'html/reports_index.html.j2')._get_default_module(context)
    l_0_show_name = getattr(included_template, 'show_name', missing)
    if l_0_show_name is missing:
        l_0_show_name = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/reports_index.html.j2') does not export the requested name 'show_name'", name='show_name')
    context.vars['show_name'] = l_0_show_name
    context.exported_vars.discard('show_name')
    yield '<!DOCTYPE html>\n<html lang="en">\n'
    yield escape(context.call((undefined(name='show_head') if l_0_show_head is missing else l_0_show_head), markup_join(('Reports: ', environment.getattr(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'title'), 'text'), )), (undefined(name='policy') if l_0_policy is missing else l_0_policy), (undefined(name='style') if l_0_style is missing else l_0_style)))
    yield '\n<body>\n<a class="skip" href="#main">Skip to the reports</a>\n<header id="summary">\n<p class="product">tfprof report</p>\n<h1>Reports of '
    yield escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'title')))
    yield '</h1>\n<p class="sides">'
    yield escape(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'count'))
    yield '</p>\n<ul class="counts" aria-label="Outcomes">\n'
    for l_1_cell in environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'counts'):
        _loop_vars = {}
        pass
        yield '<li><span class="'
        yield escape(environment.getattr(l_1_cell, 'tone'))
        yield '">'
        yield escape(environment.getattr(l_1_cell, 'text'))
        yield '</span></li>\n'
    l_1_cell = missing
    yield '</ul>\n</header>\n<main id="main">\n<div id="search"></div>\n<div class="scroll reports" role="region" tabindex="0" aria-labelledby="reports">\n<table cellpadding="4">\n<caption id="reports">Reports</caption>\n<thead>\n<tr>\n'
    for l_1_column in environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'columns'):
        _loop_vars = {}
        pass
        yield '<th scope="col" data-kind="'
        yield escape(('number' if environment.getattr(l_1_column, 'is_number') else 'text'))
        yield '">'
        yield escape(environment.getattr(l_1_column, 'label'))
        yield '</th>\n'
    l_1_column = missing
    yield '</tr>\n</thead>\n<tbody align="left">\n'
    yield escape(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'body'))
    yield '\n</tbody>\n</table>\n</div>\n'
    if environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'note'):
        pass
        yield '<p class="note">'
        yield escape(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'note'))
        yield '</p>\n'
    yield '</main>\n<script type="module">'
    yield escape((undefined(name='script') if l_0_script is missing else l_0_script))
    yield '</script>\n</body>\n</html>\n'

blocks = {}
debug_info = '1=16&2=22&5=29&10=31&11=33&13=35&14=39&25=45&26=49&31=55&35=57&36=60&39=63'
