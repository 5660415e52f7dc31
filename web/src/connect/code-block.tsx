/** Text to copy unchanged: a command, or a part of a file. */
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { useCopy } from '../ui/primitives.tsx'
import css from './connect.module.css'

type Props = { readonly code: string; readonly label: string; readonly file?: string }

export const CodeBlock = ({ code, label, file }: Props) => {
  const { isCopied, copy, icon } = useCopy(code, 14)
  return (
    <div className={cx(css.code, file === undefined && css.short)}>
      <div className={css.codeHead}>
        {file !== undefined && <span className="mono muted">{file}</span>}
        <Button look="quiet" onClick={copy} aria-label={isCopied ? 'Copied' : `Copy ${label}`}>
          {icon}
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <pre tabIndex={0}>{code}</pre>
    </div>
  )
}
