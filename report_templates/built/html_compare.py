"""Compiled from html/compare.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/compare.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_content = resolve('content')
    l_0_policy = resolve('policy')
    l_0_style = resolve('style')
    l_0_pictures = resolve('pictures')
    l_0_script = resolve('script')
    l_0_show_head = l_0_show_figure = l_0_show_link = l_0_show_name = l_0_show_answer = l_0_show_table = l_0_show_lines = missing
    try:
        t_1 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    pass
    included_template = environment.get_template('html/_head.html.j2', 'html/compare.html.j2')._get_default_module(context)
    l_0_show_head = getattr(included_template, 'show_head', missing)
    if l_0_show_head is missing:
        l_0_show_head = undefined(f"the template {included_template.__name__!r} (imported on line 1 in 'html/compare.html.j2') does not export the requested name 'show_head'", name='show_head')
    context.vars['show_head'] = l_0_show_head
    context.exported_vars.discard('show_head')
    included_template = environment.get_template('html/_cells.html.j2', 'html/compare.html.j2')._get_default_module(context)
    l_0_show_figure = getattr(included_template, 'show_figure', missing)
    if l_0_show_figure is missing:
        l_0_show_figure = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/compare.html.j2') does not export the requested name 'show_figure'", name='show_figure')
    l_0_show_link = getattr(included_template, 'show_link', missing)
    if l_0_show_link is missing:
        l_0_show_link = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/compare.html.j2') does not export the requested name 'show_link'", name='show_link')
    l_0_show_name = getattr(included_template, 'show_name', missing)
    if l_0_show_name is missing:
        l_0_show_name = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/compare.html.j2') does not export the requested name 'show_name'", name='show_name')
    context.vars.update({'show_figure': l_0_show_figure, 'show_link': l_0_show_link, 'show_name': l_0_show_name})
    context.exported_vars.difference_update(('show_figure', 'show_link', 'show_name'))
    included_template = environment.get_template('html/_screen.html.j2', 'html/compare.html.j2')._get_default_module(context)
    l_0_show_answer = getattr(included_template, 'show_answer', missing)
    if l_0_show_answer is missing:
        l_0_show_answer = undefined(f"the template {included_template.__name__!r} (imported on line 3 in 'html/compare.html.j2') does not export the requested name 'show_answer'", name='show_answer')
    context.vars['show_answer'] = l_0_show_answer
    context.exported_vars.discard('show_answer')
    included_template = environment.get_template('html/_table.html.j2', 'html/compare.html.j2')._get_default_module(context)
    l_0_show_table = getattr(included_template, 'show_table', missing)
    if l_0_show_table is missing:
        l_0_show_table = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/compare.html.j2') does not export the requested name 'show_table'", name='show_table')
    context.vars['show_table'] = l_0_show_table
    context.exported_vars.discard('show_table')
    def macro(l_1_lines, l_1_first, l_1_caption, l_1_id, l_1_columns, l_1_sorts):
        t_2 = []
        if l_1_lines is missing:
            l_1_lines = undefined("parameter 'lines' was not provided", name='lines')
        if l_1_first is missing:
            l_1_first = undefined("parameter 'first' was not provided", name='first')
        if l_1_caption is missing:
            l_1_caption = undefined("parameter 'caption' was not provided", name='caption')
        if l_1_id is missing:
            l_1_id = undefined("parameter 'id' was not provided", name='id')
        if l_1_columns is missing:
            l_1_columns = undefined("parameter 'columns' was not provided", name='columns')
        if l_1_sorts is missing:
            l_1_sorts = undefined("parameter 'sorts' was not provided", name='sorts')
        pass
        t_2.append(
            '<div class="scroll',
        )
        if (t_1(l_1_lines) > 30):
            pass
            t_2.append(
                ' tall',
            )
        t_2.extend((
            '" role="region" tabindex="0" aria-labelledby="',
            escape(l_1_id),
            '">\n<table class="side-by-side" cellpadding="4">\n<caption id="',
            escape(l_1_id),
            '">',
            escape(l_1_caption),
            '</caption>\n<thead>\n<tr>\n<th scope="col"',
        ))
        if l_1_sorts:
            pass
            t_2.append(
                ' data-kind="text"',
            )
        t_2.extend((
            '>',
            escape(l_1_first),
            '</th>\n',
        ))
        for l_2_head in l_1_columns:
            _loop_vars = {}
            pass
            t_2.append(
                '<th scope="col"',
            )
            if l_1_sorts:
                pass
                t_2.append(
                    ' data-kind="number"',
                )
            t_2.extend((
                '>',
                escape(environment.getattr(environment.getattr(l_2_head, 'name'), 'text')),
                '</th>\n',
            ))
        l_2_head = missing
        t_2.append(
            '</tr>\n</thead>\n<tbody align="left">\n',
        )
        for l_2_line in l_1_lines:
            _loop_vars = {}
            pass
            t_2.extend((
                '<tr>\n<th scope="row">',
                escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr(l_2_line, 'label'), _loop_vars=_loop_vars)),
                '</th>\n',
            ))
            for l_3_cell in environment.getattr(l_2_line, 'cells'):
                _loop_vars = {}
                pass
                t_2.extend((
                    '<td class="n" data-key="',
                    escape(environment.getattr(environment.getattr(l_3_cell, 'value'), 'key')),
                    '"><div class="figure">',
                    escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_3_cell, 'value'), _loop_vars=_loop_vars)),
                    '</div>\n',
                ))
                if (environment.getattr(l_3_cell, 'difference') == 'no change'):
                    pass
                    t_2.append(
                        '<div class="note">no change</div>\n',
                    )
                elif environment.getattr(l_3_cell, 'difference'):
                    pass
                    t_2.extend((
                        '<div>',
                        escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_3_cell, 'delta'), _loop_vars=_loop_vars)),
                        ' (',
                        escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_3_cell, 'percent'), _loop_vars=_loop_vars)),
                        ')</div>\n',
                    ))
                elif environment.getattr(l_3_cell, 'note'):
                    pass
                    t_2.extend((
                        '<div class="note">',
                        escape(environment.getattr(l_3_cell, 'note')),
                        '</div>\n',
                    ))
                t_2.append(
                    '</td>\n',
                )
            l_3_cell = missing
            t_2.append(
                '</tr>\n',
            )
        l_2_line = missing
        t_2.append(
            '</tbody>\n</table>\n</div>\n',
        )
        return concat(t_2)
    context.exported_vars.add('show_lines')
    context.vars['show_lines'] = l_0_show_lines = Macro(environment, macro, 'show_lines', ('lines', 'first', 'caption', 'id', 'columns', 'sorts'), False, False, False, context.eval_ctx.autoescape)
    yield '<!DOCTYPE html>\n<html lang="en">\n'
    yield escape(context.call((undefined(name='show_head') if l_0_show_head is missing else l_0_show_head), markup_join((environment.getattr(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'status'), 'text'), ': ', environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'title'), )), (undefined(name='policy') if l_0_policy is missing else l_0_policy), (undefined(name='style') if l_0_style is missing else l_0_style)))
    yield '\n<body>\n<a class="skip" href="#main">Skip to the figures</a>\n<header id="summary">\n<p class="product">tfprof report</p>\n<h1>'
    yield escape(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'title'))
    yield '</h1>\n<p class="sides">\n'
    l_1_loop = missing
    for l_1_head, l_1_loop in LoopContext(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'columns'), undefined):
        _loop_vars = {}
        pass
        yield '<span>'
        yield escape(context.call((undefined(name='show_link') if l_0_show_link is missing else l_0_show_link), environment.getattr(l_1_head, 'name'), environment.getattr(l_1_head, 'url'), _loop_vars=_loop_vars))
        if environment.getattr(l_1_head, 'commit'):
            pass
            yield ' <span class="note">'
            yield escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr(l_1_head, 'commit'), _loop_vars=_loop_vars))
            yield '</span>'
        yield '</span>'
        if (not environment.getattr(l_1_loop, 'last')):
            pass
            yield ', '
        yield '\n'
    l_1_loop = l_1_head = missing
    yield '</p>\n'
    yield escape(context.call((undefined(name='show_answer') if l_0_show_answer is missing else l_0_show_answer), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'status'), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'symbol'), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'answer'), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'reason'), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'said')))
    yield '\n</header>\n<nav class="sections" aria-label="Sections">\n<ul>\n<li><a href="#summary">Summary</a></li>\n<li><a href="#figures">Figures</a></li>\n'
    if environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'front'):
        pass
        yield '<li><a href="#front">Front</a></li>\n'
    if environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'layers'):
        pass
        yield '<li><a href="#layers">Layers</a></li>\n'
    yield '<li><a href="#reports">Reports</a></li>\n</ul>\n</nav>\n<main id="main">\n<section id="figures">\n<h2>Figures</h2>\n<p class="note">Below each figure, its difference to '
    yield escape(environment.getattr(environment.getattr(environment.getitem(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'columns'), 0), 'name'), 'text'))
    yield ', the first.</p>\n'
    yield escape(context.call((undefined(name='show_lines') if l_0_show_lines is missing else l_0_show_lines), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'figures'), 'Figure', 'Figures', 'figures-table', environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'columns'), False))
    yield '\n</section>\n'
    if environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'front'):
        pass
        yield '<section id="front">\n<h2>Front</h2>\n<p>A model is on the front if no other one needs no more of each figure, and less of one.</p>\n'
        for l_1_note in environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'front_notes'):
            _loop_vars = {}
            pass
            yield '<p class="note">'
            yield escape(l_1_note)
            yield '</p>\n'
        l_1_note = missing
        yield escape(context.call((undefined(name='show_table') if l_0_show_table is missing else l_0_show_table), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'front'), 'front-table'))
        yield '\n'
        if (undefined(name='pictures') if l_0_pictures is missing else l_0_pictures):
            pass
            yield '<div class="pictures">\n'
            for l_1_picture in (undefined(name='pictures') if l_0_pictures is missing else l_0_pictures):
                _loop_vars = {}
                pass
                yield '<figure id="'
                yield escape(environment.getattr(l_1_picture, 'anchor'))
                yield '">\n<h3>'
                yield escape(environment.getattr(l_1_picture, 'title'))
                yield '</h3>\n<div class="drawing" role="region" tabindex="0" aria-label="'
                yield escape(environment.getattr(l_1_picture, 'title'))
                yield '">'
                yield escape(environment.getattr(l_1_picture, 'svg'))
                yield '</div>\n<figcaption>'
                yield escape(environment.getattr(l_1_picture, 'text'))
                yield '</figcaption>\n</figure>\n'
            l_1_picture = missing
            yield '</div>\n'
        yield '</section>\n'
    if environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'layers'):
        pass
        yield '<section id="layers">\n<h2>Layers with the most FLOPs</h2>\n<p class="note">Layers of the same name are side by side.</p>\n'
        yield escape(context.call((undefined(name='show_lines') if l_0_show_lines is missing else l_0_show_lines), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'layers'), 'Layer', 'FLOPs of layers', 'layers-table', environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'columns'), True))
        yield '\n'
        for l_1_note in environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'layers_notes'):
            _loop_vars = {}
            pass
            yield '<p class="note">'
            yield escape(l_1_note)
            yield '</p>\n'
        l_1_note = missing
        yield '</section>\n'
    yield '<section id="reports">\n<h2>Reports</h2>\n'
    yield escape(context.call((undefined(name='show_table') if l_0_show_table is missing else l_0_show_table), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'facts'), 'reports-table'))
    yield '\n</section>\n</main>\n<script type="module">'
    yield escape((undefined(name='script') if l_0_script is missing else l_0_script))
    yield '</script>\n</body>\n</html>\n'

blocks = {}
debug_info = '1=23&2=29&3=41&4=47&5=53&6=71&8=80&11=85&12=95&13=101&18=115&20=120&21=123&22=128&23=133&25=138&26=142&27=147&28=151&40=169&45=171&47=174&48=178&52=191&58=193&61=196&70=200&71=202&73=204&77=207&78=211&80=214&81=216&83=219&84=223&85=225&86=227&87=231&94=236&98=239&99=241&100=245&106=250&109=252'
