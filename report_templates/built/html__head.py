"""Compiled from html/_head.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/_head.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_show_head = missing
    pass
    def macro(l_1_title, l_1_policy, l_1_style):
        t_1 = []
        if l_1_title is missing:
            l_1_title = undefined("parameter 'title' was not provided", name='title')
        if l_1_policy is missing:
            l_1_policy = undefined("parameter 'policy' was not provided", name='policy')
        if l_1_style is missing:
            l_1_style = undefined("parameter 'style' was not provided", name='style')
        pass
        t_1.extend((
            '<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="',
            escape(l_1_policy),
            '">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n<meta name="referrer" content="no-referrer">\n<title>',
            escape(l_1_title),
            ' - tfprof report</title>\n<link rel="icon" href="data:,">\n<style>',
            escape(l_1_style),
            '</style>\n</head>\n',
        ))
        return concat(t_1)
    context.exported_vars.add('show_head')
    context.vars['show_head'] = l_0_show_head = Macro(environment, macro, 'show_head', ('title', 'policy', 'style'), False, False, False, context.eval_ctx.autoescape)

blocks = {}
debug_info = '2=12&5=23&9=25&11=27'
