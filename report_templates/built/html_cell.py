"""Compiled from html/cell.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/cell.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_style = resolve('style')
    l_0_screen = resolve('screen')
    l_0_key = resolve('key')
    l_0_show_figures = l_0_show_gates = l_0_show_cards = l_0_show_identity = l_0_show_verdict = l_0_show_waterfall = missing
    pass
    included_template = environment.get_template('html/_figures.html.j2', 'html/cell.html.j2')._get_default_module(context)
    l_0_show_figures = getattr(included_template, 'show_figures', missing)
    if l_0_show_figures is missing:
        l_0_show_figures = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/cell.html.j2') does not export the requested name 'show_figures'", name='show_figures')
    context.vars['show_figures'] = l_0_show_figures
    context.exported_vars.discard('show_figures')
    included_template = environment.get_template('html/_gates.html.j2', 'html/cell.html.j2')._get_default_module(context)
    l_0_show_gates = getattr(included_template, 'show_gates', missing)
    if l_0_show_gates is missing:
        l_0_show_gates = undefined(f"the template {included_template.__name__!r} (imported on line 3 in 'html/cell.html.j2') does not export the requested name 'show_gates'", name='show_gates')
    context.vars['show_gates'] = l_0_show_gates
    context.exported_vars.discard('show_gates')
    included_template = environment.get_template('html/_screen.html.j2', 'html/cell.html.j2')._get_default_module(context)
    l_0_show_cards = getattr(included_template, 'show_cards', missing)
    if l_0_show_cards is missing:
        l_0_show_cards = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/cell.html.j2') does not export the requested name 'show_cards'", name='show_cards')
    l_0_show_identity = getattr(included_template, 'show_identity', missing)
    if l_0_show_identity is missing:
        l_0_show_identity = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/cell.html.j2') does not export the requested name 'show_identity'", name='show_identity')
    l_0_show_verdict = getattr(included_template, 'show_verdict', missing)
    if l_0_show_verdict is missing:
        l_0_show_verdict = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/cell.html.j2') does not export the requested name 'show_verdict'", name='show_verdict')
    context.vars.update({'show_cards': l_0_show_cards, 'show_identity': l_0_show_identity, 'show_verdict': l_0_show_verdict})
    context.exported_vars.difference_update(('show_cards', 'show_identity', 'show_verdict'))
    included_template = environment.get_template('html/_waterfall.html.j2', 'html/cell.html.j2')._get_default_module(context)
    l_0_show_waterfall = getattr(included_template, 'show_waterfall', missing)
    if l_0_show_waterfall is missing:
        l_0_show_waterfall = undefined(f"the template {included_template.__name__!r} (imported on line 5 in 'html/cell.html.j2') does not export the requested name 'show_waterfall'", name='show_waterfall')
    context.vars['show_waterfall'] = l_0_show_waterfall
    context.exported_vars.discard('show_waterfall')
    yield '<div class="tfprof-cell">\n<style>'
    yield escape((undefined(name='style') if l_0_style is missing else l_0_style))
    yield '</style>\n<div class="identity">\n<strong>'
    yield escape(environment.getattr(environment.getattr((undefined(name='screen') if l_0_screen is missing else l_0_screen), 'title'), 'text'))
    yield '</strong>\n'
    yield escape(context.call((undefined(name='show_identity') if l_0_show_identity is missing else l_0_show_identity), environment.getattr((undefined(name='screen') if l_0_screen is missing else l_0_screen), 'identity')))
    yield '\n</div>\n'
    yield escape(context.call((undefined(name='show_verdict') if l_0_show_verdict is missing else l_0_show_verdict), (undefined(name='screen') if l_0_screen is missing else l_0_screen), 'p'))
    yield '\n'
    if (not environment.getattr((undefined(name='screen') if l_0_screen is missing else l_0_screen), 'is_compared')):
        pass
        yield escape(context.call((undefined(name='show_figures') if l_0_show_figures is missing else l_0_show_figures), environment.getattr((undefined(name='screen') if l_0_screen is missing else l_0_screen), 'figures')))
        yield '\n'
    yield escape(context.call((undefined(name='show_gates') if l_0_show_gates is missing else l_0_show_gates), environment.getattr((undefined(name='screen') if l_0_screen is missing else l_0_screen), 'gates'), markup_join(('tfprof-gates-', (undefined(name='key') if l_0_key is missing else l_0_key), ))))
    yield '\n'
    for l_1_waterfall in environment.getattr((undefined(name='screen') if l_0_screen is missing else l_0_screen), 'waterfalls')[:1]:
        _loop_vars = {}
        pass
        yield escape(context.call((undefined(name='show_waterfall') if l_0_show_waterfall is missing else l_0_show_waterfall), l_1_waterfall, markup_join(('tfprof-steps-', (undefined(name='key') if l_0_key is missing else l_0_key), )), _loop_vars=_loop_vars))
        yield '\n'
    l_1_waterfall = missing
    yield '<details>\n<summary>All figures'
    if environment.getattr((undefined(name='screen') if l_0_screen is missing else l_0_screen), 'is_compared'):
        pass
        yield ' of both sides'
    yield '</summary>\n'
    yield escape(context.call((undefined(name='show_cards') if l_0_show_cards is missing else l_0_show_cards), environment.getattr((undefined(name='screen') if l_0_screen is missing else l_0_screen), 'cards')))
    yield '\n</details>\n</div>\n'

blocks = {}
debug_info = '2=15&3=21&4=27&5=39&7=46&9=48&10=50&12=52&13=54&14=56&16=58&17=60&18=63&21=67&22=71'
