"""Compiled from html/history.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/history.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_content = resolve('content')
    l_0_policy = resolve('policy')
    l_0_style = resolve('style')
    l_0_index = resolve('index')
    l_0_open = resolve('open')
    l_0_meta = resolve('meta')
    l_0_script = resolve('script')
    l_0_show_head = l_0_show_link = l_0_show_name = l_0_show_blocks = l_0_show_index = l_0_show_nets = l_0_show_changes = l_0_show_model = missing
    try:
        t_1 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    pass
    included_template = environment.get_template('html/_head.html.j2', 'html/history.html.j2')._get_default_module(context)
    l_0_show_head = getattr(included_template, 'show_head', missing)
    if l_0_show_head is missing:
        l_0_show_head = undefined(f"the template {included_template.__name__!r} (imported on line 1 in 'html/history.html.j2') does not export the requested name 'show_head'", name='show_head')
    context.vars['show_head'] = l_0_show_head
    context.exported_vars.discard('show_head')
    included_template = environment.get_template('html/_cells.html.j2', 'html/history.html.j2')._get_default_module(context)
    l_0_show_link = getattr(included_template, 'show_link', missing)
    if l_0_show_link is missing:
        l_0_show_link = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/history.html.j2') does not export the requested name 'show_link'", name='show_link')
    l_0_show_name = getattr(included_template, 'show_name', missing)
    if l_0_show_name is missing:
        l_0_show_name = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/history.html.j2') does not export the requested name 'show_name'", name='show_name')
    context.vars.update({'show_link': l_0_show_link, 'show_name': l_0_show_name})
    context.exported_vars.difference_update(('show_link', 'show_name'))
    included_template = environment.get_template('html/_history_tables.html.j2', 'html/history.html.j2')._get_default_module(context)
    l_0_show_blocks = getattr(included_template, 'show_blocks', missing)
    if l_0_show_blocks is missing:
        l_0_show_blocks = undefined(f"the template {included_template.__name__!r} (imported on line 3 in 'html/history.html.j2') does not export the requested name 'show_blocks'", name='show_blocks')
    l_0_show_index = getattr(included_template, 'show_index', missing)
    if l_0_show_index is missing:
        l_0_show_index = undefined(f"the template {included_template.__name__!r} (imported on line 3 in 'html/history.html.j2') does not export the requested name 'show_index'", name='show_index')
    l_0_show_nets = getattr(included_template, 'show_nets', missing)
    if l_0_show_nets is missing:
        l_0_show_nets = undefined(f"the template {included_template.__name__!r} (imported on line 3 in 'html/history.html.j2') does not export the requested name 'show_nets'", name='show_nets')
    context.vars.update({'show_blocks': l_0_show_blocks, 'show_index': l_0_show_index, 'show_nets': l_0_show_nets})
    context.exported_vars.difference_update(('show_blocks', 'show_index', 'show_nets'))
    def macro(l_1_model):
        t_2 = []
        if l_1_model is missing:
            l_1_model = undefined("parameter 'model' was not provided", name='model')
        pass
        t_2.append(
            '<h3>Changes, the newest first</h3>\n<ol class="changes">\n',
        )
        for l_2_change in environment.getattr(l_1_model, 'changes'):
            _loop_vars = {}
            pass
            t_2.extend((
                '<li id="',
                escape(environment.getattr(l_2_change, 'anchor')),
                '">\n<p class="commit">',
                escape(context.call((undefined(name='show_link') if l_0_show_link is missing else l_0_show_link), environment.getattr(l_2_change, 'commit'), environment.getattr(l_2_change, 'commit_url'), _loop_vars=_loop_vars)),
                ' <span class="note">',
                escape(environment.getattr(l_2_change, 'day')),
                '</span>\n',
            ))
            for l_3_tag in environment.getattr(l_2_change, 'tags'):
                _loop_vars = {}
                pass
                t_2.extend((
                    '<span class="tag">',
                    escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), l_3_tag, _loop_vars=_loop_vars)),
                    '</span>\n',
                ))
            l_3_tag = missing
            if environment.getattr(l_2_change, 'report_url'):
                pass
                t_2.extend((
                    '<a href="',
                    escape(environment.getattr(l_2_change, 'report_url')),
                    '" rel="noreferrer">report<span class="unseen"> of ',
                    escape(environment.getattr(environment.getattr(l_2_change, 'commit'), 'text')),
                    '</span></a>\n',
                ))
            t_2.append(
                '</p>\n<ul>\n',
            )
            for l_3_step in environment.getattr(l_2_change, 'steps'):
                _loop_vars = {}
                pass
                t_2.extend((
                    '<li>',
                    escape(l_3_step),
                    '</li>\n',
                ))
            l_3_step = missing
            t_2.extend((
                '</ul>\n<p class="why">',
                escape(environment.getattr(environment.getattr(l_2_change, 'why'), 'text')),
                '</p>\n',
            ))
            if environment.getattr(l_2_change, 'which'):
                pass
                t_2.extend((
                    '<p class="note">',
                    escape(environment.getattr(l_2_change, 'which')),
                    '.</p>\n',
                ))
            t_2.append(
                '</li>\n',
            )
        l_2_change = missing
        t_2.append(
            '</ol>\n',
        )
        if environment.getattr(l_1_model, 'more_changes'):
            pass
            t_2.extend((
                '<p class="note">',
                escape(context.call(environment.getattr('{:,}', 'format'), environment.getattr(l_1_model, 'more_changes'))),
                ' earlier changes are in history.json.</p>\n',
            ))
        return concat(t_2)
    context.exported_vars.add('show_changes')
    context.vars['show_changes'] = l_0_show_changes = Macro(environment, macro, 'show_changes', ('model',), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_model, l_1_page):
        t_3 = []
        if l_1_model is missing:
            l_1_model = undefined("parameter 'model' was not provided", name='model')
        if l_1_page is missing:
            l_1_page = undefined("parameter 'page' was not provided", name='page')
        pass
        if environment.getattr(environment.getattr(l_1_page, 'nets'), 'rows'):
            pass
            t_3.extend((
                escape(context.call((undefined(name='show_nets') if l_0_show_nets is missing else l_0_show_nets), environment.getattr(l_1_page, 'nets'), markup_join((environment.getattr(l_1_model, 'anchor'), '-nets', )))),
                '\n',
            ))
        if (environment.getattr(l_1_model, 'drifts') or environment.getattr(l_1_model, 'breaks')):
            pass
            t_3.append(
                '<ul class="moved">\n',
            )
            for l_2_words in (environment.getattr(l_1_model, 'drifts') + environment.getattr(l_1_model, 'breaks')):
                _loop_vars = {}
                pass
                t_3.extend((
                    '<li>',
                    escape(l_2_words),
                    '</li>\n',
                ))
            l_2_words = missing
            t_3.append(
                '</ul>\n',
            )
        if environment.getattr(environment.getattr(l_1_model, 'figures'), 'rows'):
            pass
            t_3.extend((
                escape(context.call((undefined(name='show_blocks') if l_0_show_blocks is missing else l_0_show_blocks), environment.getattr(l_1_model, 'figures'), markup_join((environment.getattr(l_1_model, 'anchor'), '-figures', )))),
                '\n',
            ))
        if environment.getattr(l_1_page, 'pictures'):
            pass
            t_3.append(
                '<div class="charts">\n',
            )
            for l_2_picture in environment.getattr(l_1_page, 'pictures'):
                _loop_vars = {}
                pass
                t_3.extend((
                    '<figure class="wide" id="',
                    escape(environment.getattr(l_2_picture, 'anchor')),
                    '">\n<h3>',
                    escape(environment.getattr(l_2_picture, 'title')),
                    '</h3>\n<div class="chart">',
                    escape(environment.getattr(l_2_picture, 'svg')),
                    '</div>\n<figcaption>',
                    escape(environment.getattr(l_2_picture, 'text')),
                    '</figcaption>\n</figure>\n',
                ))
            l_2_picture = missing
            t_3.append(
                '</div>\n',
            )
        if environment.getattr(l_1_model, 'changes'):
            pass
            t_3.extend((
                escape(context.call((undefined(name='show_changes') if l_0_show_changes is missing else l_0_show_changes), l_1_model)),
                '\n',
            ))
        if environment.getattr(l_1_model, 'left_out'):
            pass
            t_3.append(
                '<h3>Not shown</h3>\n<ul>\n',
            )
            for l_2_words in environment.getattr(l_1_model, 'left_out'):
                _loop_vars = {}
                pass
                t_3.extend((
                    '<li>',
                    escape(environment.getattr(l_2_words, 'text')),
                    '</li>\n',
                ))
            l_2_words = missing
            t_3.append(
                '</ul>\n',
            )
        return concat(t_3)
    context.exported_vars.add('show_model')
    context.vars['show_model'] = l_0_show_model = Macro(environment, macro, 'show_model', ('model', 'page'), False, False, False, context.eval_ctx.autoescape)
    yield '<!DOCTYPE html>\n<html lang="en">\n'
    yield escape(context.call((undefined(name='show_head') if l_0_show_head is missing else l_0_show_head), markup_join(('History of ', environment.getattr(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'title'), 'text'), )), (undefined(name='policy') if l_0_policy is missing else l_0_policy), (undefined(name='style') if l_0_style is missing else l_0_style)))
    yield '\n<body>\n<a class="skip" href="#main">Skip to the models</a>\n<header id="summary">\n<p class="product">tfprof report</p>\n<h1>History of '
    yield escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'title')))
    yield '</h1>\n<p class="sides">'
    yield escape(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'scope'))
    yield '</p>\n'
    if (undefined(name='index') if l_0_index is missing else l_0_index):
        pass
        yield escape(context.call((undefined(name='show_index') if l_0_show_index is missing else l_0_show_index), (undefined(name='index') if l_0_index is missing else l_0_index)))
        yield '\n'
    if environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'failed'):
        pass
        yield '<p>Models without a history:</p>\n<ul>\n'
        for l_1_words in environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'failed'):
            _loop_vars = {}
            pass
            yield '<li class="failed">'
            yield escape(environment.getattr(l_1_words, 'text'))
            yield '</li>\n'
        l_1_words = missing
        yield '</ul>\n'
    yield '</header>\n'
    if (undefined(name='index') if l_0_index is missing else l_0_index):
        pass
        yield '<nav class="sections" aria-label="Models">\n<ul>\n<li><a href="#summary">All models</a></li>\n'
        for l_1_model in environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'models'):
            _loop_vars = {}
            pass
            yield '<li><a href="#'
            yield escape(environment.getattr(l_1_model, 'anchor'))
            yield '">'
            yield escape(environment.getattr(environment.getattr(l_1_model, 'name'), 'text'))
            yield '</a></li>\n'
        l_1_model = missing
        yield '</ul>\n</nav>\n'
    yield '<main id="main">\n<p class="note blocked" hidden>Something blocks the scripts of this page, so '
    if (t_1(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'models')) > (undefined(name='open') if l_0_open is missing else l_0_open)):
        pass
        yield 'some models cannot be opened'
    else:
        pass
        yield 'its charts cannot be zoomed'
    yield ' here: save the page and open it from disk.</p>\n'
    l_1_loop = missing
    for l_1_model, l_1_loop in LoopContext(environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'models'), undefined):
        l_1_pages = resolve('pages')
        _loop_vars = {}
        pass
        yield '<section id="'
        yield escape(environment.getattr(l_1_model, 'anchor'))
        yield '">\n<details class="fold" open>\n<summary><h2>'
        yield escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr(l_1_model, 'name'), _loop_vars=_loop_vars))
        yield '</h2></summary>\n'
        if environment.getattr(l_1_model, 'verdict'):
            pass
            yield '<p'
            if environment.getattr(environment.getattr(l_1_model, 'verdict'), 'tone'):
                pass
                yield ' class="'
                yield escape(environment.getattr(environment.getattr(l_1_model, 'verdict'), 'tone'))
                yield '"'
            yield '>'
            yield escape(environment.getattr(environment.getattr(l_1_model, 'verdict'), 'text'))
            yield '</p>\n'
        yield '<p>'
        yield escape(environment.getattr(l_1_model, 'headline'))
        yield '</p>\n'
        if (environment.getattr(l_1_loop, 'index') > (undefined(name='open') if l_0_open is missing else l_0_open)):
            pass
            yield '<noscript>\n'
            yield escape(context.call((undefined(name='show_model') if l_0_show_model is missing else l_0_show_model), l_1_model, environment.getitem((undefined(name='pages') if l_1_pages is missing else l_1_pages), environment.getattr(l_1_model, 'anchor')), _loop_vars=_loop_vars))
            yield '\n</noscript>\n'
        else:
            pass
            yield escape(context.call((undefined(name='show_model') if l_0_show_model is missing else l_0_show_model), l_1_model, environment.getitem((undefined(name='pages') if l_1_pages is missing else l_1_pages), environment.getattr(l_1_model, 'anchor')), _loop_vars=_loop_vars))
            yield '\n'
        yield '</details>\n</section>\n'
    l_1_loop = l_1_model = l_1_pages = missing
    yield '</main>\n<script type="application/json" id="meta">'
    yield escape((undefined(name='meta') if l_0_meta is missing else l_0_meta))
    yield '</script>\n'
    for l_1_model in environment.getattr((undefined(name='content') if l_0_content is missing else l_0_content), 'models'):
        l_1_pages = resolve('pages')
        _loop_vars = {}
        pass
        if environment.getattr(environment.getitem((undefined(name='pages') if l_1_pages is missing else l_1_pages), environment.getattr(l_1_model, 'anchor')), 'block'):
            pass
            yield '<script type="application/octet-stream" data-encoding="gzip" id="data-'
            yield escape(environment.getattr(l_1_model, 'anchor'))
            yield '">'
            yield escape(environment.getattr(environment.getitem((undefined(name='pages') if l_1_pages is missing else l_1_pages), environment.getattr(l_1_model, 'anchor')), 'block'))
            yield '</script>\n'
    l_1_model = l_1_pages = missing
    yield '<script type="module">'
    yield escape((undefined(name='script') if l_0_script is missing else l_0_script))
    yield '</script>\n</body>\n</html>\n'

blocks = {}
debug_info = '1=25&2=31&3=40&4=52&7=60&8=65&9=67&10=72&11=77&13=81&14=85&18=93&19=98&22=104&23=107&24=111&29=121&30=125&33=131&34=138&35=141&37=144&39=149&40=154&44=161&45=164&47=167&49=172&50=177&51=179&52=181&53=183&58=190&59=193&61=196&64=201&65=206&72=217&77=219&78=221&79=223&80=225&82=227&85=230&86=234&91=239&95=242&96=246&102=253&103=261&104=266&106=268&107=270&108=273&110=282&111=284&113=287&116=291&122=296&123=298&124=302&125=305&128=311'
