"""Compiled from html/report.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/report.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_screen = resolve('screen')
    l_0_policy = resolve('policy')
    l_0_style = resolve('style')
    l_0_pictures = resolve('pictures')
    l_0_sections = resolve('sections')
    l_0_data = resolve('data')
    l_0_script = resolve('script')
    l_0_show_head = l_0_show_screen = l_0_show_section = l_0_show_table = missing
    pass
    included_template = environment.get_template('html/_head.html.j2', 'html/report.html.j2')._get_default_module(context)
    l_0_show_head = getattr(included_template, 'show_head', missing)
    if l_0_show_head is missing:
        l_0_show_head = undefined(f"the template {included_template.__name__!r} (imported on line 1 in 'html/report.html.j2') does not export the requested name 'show_head'", name='show_head')
    context.vars['show_head'] = l_0_show_head
    context.exported_vars.discard('show_head')
    included_template = environment.get_template('html/_screen.html.j2', 'html/report.html.j2')._get_default_module(context)
    l_0_show_screen = getattr(included_template, 'show_screen', missing)
    if l_0_show_screen is missing:
        l_0_show_screen = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/report.html.j2') does not export the requested name 'show_screen'", name='show_screen')
    context.vars['show_screen'] = l_0_show_screen
    context.exported_vars.discard('show_screen')
    included_template = environment.get_template('html/_section.html.j2', 'html/report.html.j2')._get_default_module(context)
    l_0_show_section = getattr(included_template, 'show_section', missing)
    if l_0_show_section is missing:
        l_0_show_section = undefined(f"the template {included_template.__name__!r} (imported on line 3 in 'html/report.html.j2') does not export the requested name 'show_section'", name='show_section')
    context.vars['show_section'] = l_0_show_section
    context.exported_vars.discard('show_section')
    included_template = environment.get_template('html/_table.html.j2', 'html/report.html.j2')._get_default_module(context)
    l_0_show_table = getattr(included_template, 'show_table', missing)
    if l_0_show_table is missing:
        l_0_show_table = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/report.html.j2') does not export the requested name 'show_table'", name='show_table')
    context.vars['show_table'] = l_0_show_table
    context.exported_vars.discard('show_table')
    yield '<!DOCTYPE html>\n<html lang="en">\n'
    yield escape(context.call((undefined(name='show_head') if l_0_show_head is missing else l_0_show_head), markup_join((environment.getattr(environment.getattr((undefined(name='screen') if l_0_screen is missing else l_0_screen), 'status'), 'text'), ': ', environment.getattr(environment.getattr((undefined(name='screen') if l_0_screen is missing else l_0_screen), 'title'), 'text'), )), (undefined(name='policy') if l_0_policy is missing else l_0_policy), (undefined(name='style') if l_0_style is missing else l_0_style)))
    yield '\n<body>\n<a class="skip" href="#main">Skip to the details</a>\n<header id="summary">\n'
    yield escape(context.call((undefined(name='show_screen') if l_0_show_screen is missing else l_0_show_screen), (undefined(name='screen') if l_0_screen is missing else l_0_screen)))
    yield '\n</header>\n<nav class="sections" aria-label="Sections">\n<ul>\n<li><a href="#summary">Summary</a></li>\n'
    if (undefined(name='pictures') if l_0_pictures is missing else l_0_pictures):
        pass
        yield '<li><a href="#pictures">Pictures</a></li>\n'
    for l_1_section in (undefined(name='sections') if l_0_sections is missing else l_0_sections):
        _loop_vars = {}
        pass
        yield '<li><a href="#'
        yield escape(environment.getattr(environment.getattr(l_1_section, 'kind'), 'anchor'))
        yield '">'
        yield escape((environment.getattr(environment.getattr(l_1_section, 'kind'), 'short') or environment.getattr(environment.getattr(l_1_section, 'kind'), 'title')))
        yield '</a></li>\n'
    l_1_section = missing
    yield '</ul>\n</nav>\n<main id="main">\n<p class="note blocked" hidden>Something blocks the scripts of this page, so its tables cannot be opened here: save the page and open it from disk.</p>\n'
    if (undefined(name='pictures') if l_0_pictures is missing else l_0_pictures):
        pass
        def macro():
            t_1 = []
            pass
            t_1.append(
                '<div class="pictures">\n',
            )
            for l_2_picture in (undefined(name='pictures') if l_0_pictures is missing else l_0_pictures):
                _loop_vars = {}
                pass
                t_1.extend((
                    '<figure id="',
                    escape(environment.getattr(l_2_picture, 'anchor')),
                    '"',
                ))
                if environment.getattr(l_2_picture, 'is_wide'):
                    pass
                    t_1.append(
                        ' class="wide"',
                    )
                t_1.extend((
                    '>\n<h3>',
                    escape(environment.getattr(l_2_picture, 'title')),
                    '</h3>\n<div class="drawing"',
                ))
                if environment.getattr(l_2_picture, 'is_wide'):
                    pass
                    t_1.extend((
                        ' role="region" tabindex="0" aria-label="',
                        escape(environment.getattr(l_2_picture, 'title')),
                        '"',
                    ))
                t_1.extend((
                    '>',
                    escape(environment.getattr(l_2_picture, 'svg')),
                    '</div>\n<figcaption>',
                    escape(environment.getattr(l_2_picture, 'text')),
                    '</figcaption>\n</figure>\n',
                ))
            l_2_picture = missing
            t_1.append(
                '</div>\n',
            )
            return concat(t_1)
        caller = Macro(environment, macro, None, (), False, False, False, context.eval_ctx.autoescape)
        yield context.call((undefined(name='show_section') if l_0_show_section is missing else l_0_show_section), 'pictures', 'Pictures', caller=caller)
    l_1_loop = missing
    for l_1_section, l_1_loop in LoopContext((undefined(name='sections') if l_0_sections is missing else l_0_sections), undefined):
        _loop_vars = {}
        pass
        def macro():
            t_2 = []
            pass
            l_3_loop = missing
            for l_3_table, l_3_loop in LoopContext(environment.getattr(l_1_section, 'tables'), undefined):
                _loop_vars = {}
                pass
                t_2.extend((
                    escape(context.call((undefined(name='show_table') if l_0_show_table is missing else l_0_show_table), l_3_table, markup_join((environment.getattr(environment.getattr(l_1_section, 'kind'), 'anchor'), '-', environment.getattr(l_3_loop, 'index'), )), environment.getattr(environment.getattr(l_1_section, 'kind'), 'is_detail'), _loop_vars=_loop_vars)),
                    '\n',
                ))
            l_3_loop = l_3_table = missing
            return concat(t_2)
        caller = Macro(environment, macro, None, (), False, False, False, context.eval_ctx.autoescape)
        yield context.call((undefined(name='show_section') if l_0_show_section is missing else l_0_show_section), environment.getattr(environment.getattr(l_1_section, 'kind'), 'anchor'), environment.getattr(environment.getattr(l_1_section, 'kind'), 'title'), environment.getattr(l_1_section, 'text'), environment.getattr(environment.getattr(l_1_section, 'kind'), 'view'), caller=caller, _loop_vars=_loop_vars)
    l_1_loop = l_1_section = missing
    yield '</main>\n'
    for l_1_block in (undefined(name='data') if l_0_data is missing else l_0_data):
        _loop_vars = {}
        pass
        yield escape(l_1_block)
        yield '\n'
    l_1_block = missing
    yield '<script type="module">'
    yield escape((undefined(name='script') if l_0_script is missing else l_0_script))
    yield '</script>\n</body>\n</html>\n'

blocks = {}
debug_info = '1=19&2=25&3=31&4=37&7=44&11=46&16=48&19=51&20=55&26=61&27=63&29=69&30=74&31=84&32=87&33=98&27=107&39=109&40=112&41=116&42=120&40=126&47=129&48=132&50=136'
