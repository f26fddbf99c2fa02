"""Compiled from html/models.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/models.html.j2'

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
    l_0_show_head = l_0_show_figure = l_0_show_link = l_0_show_name = l_0_show_gates = l_0_show_answer = l_0_show_cards = l_0_show_identity = l_0_show_measured = l_0_show_rankings = l_0_show_uncounted = l_0_show_verdict = missing
    pass
    included_template = environment.get_template('html/_head.html.j2', 'html/models.html.j2')._get_default_module(context)
    l_0_show_head = getattr(included_template, 'show_head', missing)
    if l_0_show_head is missing:
        l_0_show_head = undefined(f"the template {included_template.__name__!r} (imported on line 1 in 'html/models.html.j2') does not export the requested name 'show_head'", name='show_head')
    context.vars['show_head'] = l_0_show_head
    context.exported_vars.discard('show_head')
    included_template = environment.get_template('html/_cells.html.j2', 'html/models.html.j2')._get_default_module(context)
    l_0_show_figure = getattr(included_template, 'show_figure', missing)
    if l_0_show_figure is missing:
        l_0_show_figure = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/models.html.j2') does not export the requested name 'show_figure'", name='show_figure')
    l_0_show_link = getattr(included_template, 'show_link', missing)
    if l_0_show_link is missing:
        l_0_show_link = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/models.html.j2') does not export the requested name 'show_link'", name='show_link')
    l_0_show_name = getattr(included_template, 'show_name', missing)
    if l_0_show_name is missing:
        l_0_show_name = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/models.html.j2') does not export the requested name 'show_name'", name='show_name')
    context.vars.update({'show_figure': l_0_show_figure, 'show_link': l_0_show_link, 'show_name': l_0_show_name})
    context.exported_vars.difference_update(('show_figure', 'show_link', 'show_name'))
    included_template = environment.get_template('html/_gates.html.j2', 'html/models.html.j2')._get_default_module(context)
    l_0_show_gates = getattr(included_template, 'show_gates', missing)
    if l_0_show_gates is missing:
        l_0_show_gates = undefined(f"the template {included_template.__name__!r} (imported on line 3 in 'html/models.html.j2') does not export the requested name 'show_gates'", name='show_gates')
    context.vars['show_gates'] = l_0_show_gates
    context.exported_vars.discard('show_gates')
    included_template = environment.get_template('html/_screen.html.j2', 'html/models.html.j2')._get_default_module(context)
    l_0_show_answer = getattr(included_template, 'show_answer', missing)
    if l_0_show_answer is missing:
        l_0_show_answer = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/models.html.j2') does not export the requested name 'show_answer'", name='show_answer')
    l_0_show_cards = getattr(included_template, 'show_cards', missing)
    if l_0_show_cards is missing:
        l_0_show_cards = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/models.html.j2') does not export the requested name 'show_cards'", name='show_cards')
    l_0_show_identity = getattr(included_template, 'show_identity', missing)
    if l_0_show_identity is missing:
        l_0_show_identity = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/models.html.j2') does not export the requested name 'show_identity'", name='show_identity')
    l_0_show_measured = getattr(included_template, 'show_measured', missing)
    if l_0_show_measured is missing:
        l_0_show_measured = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/models.html.j2') does not export the requested name 'show_measured'", name='show_measured')
    l_0_show_rankings = getattr(included_template, 'show_rankings', missing)
    if l_0_show_rankings is missing:
        l_0_show_rankings = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/models.html.j2') does not export the requested name 'show_rankings'", name='show_rankings')
    l_0_show_uncounted = getattr(included_template, 'show_uncounted', missing)
    if l_0_show_uncounted is missing:
        l_0_show_uncounted = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/models.html.j2') does not export the requested name 'show_uncounted'", name='show_uncounted')
    l_0_show_verdict = getattr(included_template, 'show_verdict', missing)
    if l_0_show_verdict is missing:
        l_0_show_verdict = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/models.html.j2') does not export the requested name 'show_verdict'", name='show_verdict')
    context.vars.update({'show_answer': l_0_show_answer, 'show_cards': l_0_show_cards, 'show_identity': l_0_show_identity, 'show_measured': l_0_show_measured, 'show_rankings': l_0_show_rankings, 'show_uncounted': l_0_show_uncounted, 'show_verdict': l_0_show_verdict})
    context.exported_vars.difference_update(('show_answer', 'show_cards', 'show_identity', 'show_measured', 'show_rankings', 'show_uncounted', 'show_verdict'))
    yield '<!DOCTYPE html>\n<html lang="en">\n'
    yield escape(context.call((undefined(name='show_head') if l_0_show_head is missing else l_0_show_head), markup_join((environment.getattr(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'status'), 'text'), ': ', environment.getattr(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'title'), 'text'), )), (undefined(name='policy') if l_0_policy is missing else l_0_policy), (undefined(name='style') if l_0_style is missing else l_0_style)))
    yield '\n<body>\n<a class="skip" href="#main">Skip to the models</a>\n<header id="summary">\n<p class="product">tfprof report</p>\n<h1>'
    yield escape(environment.getattr(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'title'), 'text'))
    yield '</h1>\n<p class="sides">\n'
    l_1_loop = missing
    for l_1_fact, l_1_loop in LoopContext(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'facts'), undefined):
        _loop_vars = {}
        pass
        yield '<span>'
        yield escape(environment.getattr(l_1_fact, 'label'))
        yield ' '
        yield escape(context.call((undefined(name='show_link') if l_0_show_link is missing else l_0_show_link), environment.getattr(l_1_fact, 'value'), environment.getattr(l_1_fact, 'url'), _loop_vars=_loop_vars))
        yield '</span>'
        if (not environment.getattr(l_1_loop, 'last')):
            pass
            yield ';'
        yield '\n'
    l_1_loop = l_1_fact = missing
    if environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'report_url'):
        pass
        yield '&middot; <a href="'
        yield escape(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'report_url'))
        yield '" rel="noreferrer">full report</a>\n'
    yield '</p>\n'
    yield escape(context.call((undefined(name='show_answer') if l_0_show_answer is missing else l_0_show_answer), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'status'), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'symbol'), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'answer'), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'verdict')))
    yield '\n<div class="scroll" role="region" tabindex="0" aria-labelledby="index">\n<table class="index" cellpadding="4">\n<caption id="index">Models</caption>\n<thead>\n<tr>\n<th scope="col" data-kind="text">Model</th>\n<th scope="col" data-kind="text">Outcome</th>\n'
    for l_1_label in environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'labels'):
        _loop_vars = {}
        pass
        yield '<th scope="col" data-kind="number">'
        yield escape(l_1_label)
        yield '</th>\n'
    l_1_label = missing
    yield '</tr>\n</thead>\n<tbody>\n'
    for l_1_row in environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'rows'):
        _loop_vars = {}
        pass
        yield '<tr>\n<th scope="row" title="'
        yield escape(environment.getattr(environment.getattr(l_1_row, 'name'), 'text'))
        yield '">'
        if environment.getattr(environment.getattr(l_1_row, 'page'), 'summary'):
            pass
            yield '<a class="name" href="'
            yield escape(environment.getattr(environment.getattr(l_1_row, 'page'), 'folder'))
            yield '/report.html">'
            yield escape(environment.getattr(environment.getattr(l_1_row, 'name'), 'text'))
            yield '</a>'
        else:
            pass
            yield '<span class="name">'
            yield escape(environment.getattr(environment.getattr(l_1_row, 'name'), 'text'))
            yield '</span>'
        yield '<div class="note">'
        yield escape(environment.getattr(environment.getattr(l_1_row, 'nodes'), 'text'))
        yield '</div></th>\n<td><a class="'
        yield escape(environment.getattr(environment.getattr(environment.getattr(l_1_row, 'page'), 'status'), 'tone'))
        yield '" href="#'
        yield escape(environment.getattr(environment.getattr(l_1_row, 'page'), 'anchor'))
        yield '">'
        yield escape(environment.getattr(environment.getattr(environment.getattr(l_1_row, 'page'), 'status'), 'text'))
        yield '</a>'
        if environment.getattr(environment.getattr(l_1_row, 'page'), 'mark'):
            pass
            yield '<div class="'
            yield escape(environment.getattr(environment.getattr(environment.getattr(l_1_row, 'page'), 'mark'), 'tone'))
            yield '">'
            yield escape(environment.getattr(environment.getattr(environment.getattr(l_1_row, 'page'), 'mark'), 'text'))
            yield '</div>'
        yield '</td>\n'
        for l_2_cell in environment.getattr(l_1_row, 'cells'):
            _loop_vars = {}
            pass
            yield '<td class="n" data-key="'
            yield escape(environment.getattr(environment.getattr(l_2_cell, 'head'), 'key'))
            yield '"><div class="figure">'
            yield escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_2_cell, 'head'), _loop_vars=_loop_vars))
            yield '</div>\n'
            if (environment.getattr(l_2_cell, 'base') and (environment.getattr(l_2_cell, 'base') == environment.getattr(l_2_cell, 'head'))):
                pass
                yield '<div class="note">no change</div>\n'
            elif environment.getattr(l_2_cell, 'base'):
                pass
                if environment.getattr(l_2_cell, 'percent'):
                    pass
                    yield '<div>'
                    if environment.getattr(environment.getattr(l_2_cell, 'delta'), 'key'):
                        pass
                        yield escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_2_cell, 'delta'), _loop_vars=_loop_vars))
                        yield ' ('
                        yield escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_2_cell, 'percent'), _loop_vars=_loop_vars))
                        yield ')'
                    else:
                        pass
                        yield escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_2_cell, 'percent'), _loop_vars=_loop_vars))
                    yield '</div>\n'
                yield '<div class="note">from '
                yield escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_2_cell, 'base'), _loop_vars=_loop_vars))
                yield '</div>\n'
            if environment.getattr(l_2_cell, 'note'):
                pass
                yield '<div class="note">'
                yield escape(environment.getattr(l_2_cell, 'note'))
                yield '</div>\n'
            yield '</td>\n'
        l_2_cell = missing
        yield '</tr>\n'
    l_1_row = missing
    yield '</tbody>\n</table>\n</div>\n</header>\n<nav class="sections" aria-label="Models">\n<ul>\n<li><a href="#summary">Summary</a></li>\n'
    for l_1_row in environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'rows'):
        _loop_vars = {}
        pass
        yield '<li><a href="#'
        yield escape(environment.getattr(environment.getattr(l_1_row, 'page'), 'anchor'))
        yield '">'
        yield escape(environment.getattr(environment.getattr(l_1_row, 'name'), 'text'))
        yield '</a></li>\n'
    l_1_row = missing
    yield '</ul>\n</nav>\n<main id="main">\n'
    for l_1_row in environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'rows'):
        l_1_pictures = resolve('pictures')
        l_1_picture = resolve('picture')
        l_1_page = missing
        _loop_vars = {}
        pass
        l_1_page = environment.getattr(l_1_row, 'page')
        _loop_vars['page'] = l_1_page
        yield '<section id="'
        yield escape(environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'anchor'))
        yield '">\n<h2>'
        yield escape(environment.getattr(environment.getattr(l_1_row, 'name'), 'text'))
        yield '</h2>\n'
        if environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'screen'):
            pass
            yield escape(context.call((undefined(name='show_verdict') if l_0_show_verdict is missing else l_0_show_verdict), environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'screen'), 'h3', _loop_vars=_loop_vars))
            yield '\n'
            yield escape(context.call((undefined(name='show_identity') if l_0_show_identity is missing else l_0_show_identity), environment.getattr(environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'screen'), 'identity'), False, _loop_vars=_loop_vars))
            yield '\n<p><a href="'
            yield escape(environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'folder'))
            yield '/report.html">Full report of <span class="name">'
            yield escape(environment.getattr(environment.getattr(l_1_row, 'name'), 'text'))
            yield '</span></a></p>\n'
            if (not environment.getattr(environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'screen'), 'is_compared')):
                pass
                yield escape(context.call((undefined(name='show_cards') if l_0_show_cards is missing else l_0_show_cards), environment.getattr(environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'screen'), 'cards'), _loop_vars=_loop_vars))
                yield '\n'
            yield escape(context.call((undefined(name='show_gates') if l_0_show_gates is missing else l_0_show_gates), environment.getattr(environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'screen'), 'gates'), markup_join(('limits-', environment.getattr(environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'model'), 'name'), )), _loop_vars=_loop_vars))
            yield '\n'
            yield escape(context.call((undefined(name='show_uncounted') if l_0_show_uncounted is missing else l_0_show_uncounted), environment.getattr(environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'screen'), 'uncounted'), markup_join((environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'folder'), '/report.html', )), _loop_vars=_loop_vars))
            yield '\n<details>\n<summary>What was measured: input files and options</summary>\n'
            yield escape(context.call((undefined(name='show_measured') if l_0_show_measured is missing else l_0_show_measured), environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'screen'), _loop_vars=_loop_vars))
            yield '\n</details>\n'
            yield escape(context.call((undefined(name='show_rankings') if l_0_show_rankings is missing else l_0_show_rankings), environment.getattr(environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'screen'), 'rankings'), 'h3', markup_join((environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'folder'), '/report.html', )), _loop_vars=_loop_vars))
            yield '\n'
            l_1_picture = context.call(environment.getattr((undefined(name='pictures') if l_1_pictures is missing else l_1_pictures), 'get'), environment.getattr(environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'model'), 'name'), _loop_vars=_loop_vars)
            _loop_vars['picture'] = l_1_picture
            if (undefined(name='picture') if l_1_picture is missing else l_1_picture):
                pass
                yield '<figure class="wide">\n<h3>'
                yield escape(environment.getattr((undefined(name='picture') if l_1_picture is missing else l_1_picture), 'title'))
                yield '</h3>\n<div class="drawing" role="region" tabindex="0" aria-label="'
                yield escape(environment.getattr(environment.getattr(l_1_row, 'name'), 'text'))
                yield ': '
                yield escape(environment.getattr((undefined(name='picture') if l_1_picture is missing else l_1_picture), 'title'))
                yield '">'
                yield escape(environment.getattr((undefined(name='picture') if l_1_picture is missing else l_1_picture), 'svg'))
                yield '</div>\n<figcaption>'
                yield escape(environment.getattr((undefined(name='picture') if l_1_picture is missing else l_1_picture), 'text'))
                yield '</figcaption>\n</figure>\n'
        else:
            pass
            yield escape(context.call((undefined(name='show_answer') if l_0_show_answer is missing else l_0_show_answer), environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'status'), environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'symbol'), environment.getattr(environment.getattr((undefined(name='page') if l_1_page is missing else l_1_page), 'status'), 'text'), 'The baseline has this model, this report does not.', heading='h3', _loop_vars=_loop_vars))
            yield '\n'
        yield '</section>\n'
    l_1_row = l_1_page = l_1_pictures = l_1_picture = missing
    yield '</main>\n<script type="module">'
    yield escape((undefined(name='script') if l_0_script is missing else l_0_script))
    yield '</script>\n</body>\n</html>\n'

blocks = {}
debug_info = '1=16&2=22&3=34&4=40&7=65&12=67&14=70&15=74&18=83&19=86&22=89&30=91&31=95&36=99&38=103&39=118&40=120&41=134&42=138&43=142&45=145&46=147&47=150&49=161&51=163&52=166&65=173&66=177&71=183&72=189&73=192&74=194&75=196&76=198&77=200&78=202&79=206&80=208&82=210&83=212&86=214&88=216&89=218&90=220&92=223&93=225&94=231&98=235&103=240'
