"""Compiled from html/_section.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/_section.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_show_section = missing
    pass
    def macro(l_1_anchor, l_1_title, l_1_text, l_1_view, l_1_caller):
        t_1 = []
        if l_1_anchor is missing:
            l_1_anchor = undefined("parameter 'anchor' was not provided", name='anchor')
        if l_1_title is missing:
            l_1_title = undefined("parameter 'title' was not provided", name='title')
        if l_1_text is missing:
            l_1_text = ()
        if l_1_view is missing:
            l_1_view = ''
        pass
        t_1.extend((
            '<section id="',
            escape(l_1_anchor),
            '"',
        ))
        if l_1_view:
            pass
            t_1.extend((
                ' data-view="',
                escape(l_1_view),
                '"',
            ))
        t_1.extend((
            '>\n<details class="fold" open>\n<summary><h2>',
            escape(l_1_title),
            '</h2></summary>\n',
        ))
        for l_2_sentence in l_1_text:
            _loop_vars = {}
            pass
            t_1.extend((
                '<p>',
                escape(l_2_sentence),
                '</p>\n',
            ))
        l_2_sentence = missing
        t_1.extend((
            '<noscript>\n',
            escape(context.call(l_1_caller)),
            '\n</noscript>\n</details>\n</section>\n',
        ))
        return concat(t_1)
    context.exported_vars.add('show_section')
    context.vars['show_section'] = l_0_show_section = Macro(environment, macro, 'show_section', ('anchor', 'title', 'text', 'view'), False, False, True, context.eval_ctx.autoescape)

blocks = {}
debug_info = '3=12&4=25&6=37&7=40&8=45&11=51'
