/** Text to copy unchanged: a command, or a part of a file. */
import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import css from './connect.module.css'

type Props = { readonly code: string; readonly label: string; readonly file?: string }

export const CodeBlock = ({ code, label, file }: Props) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(code)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <div className={cx(css.code, file === undefined && css.short)}>
      <div className={css.codeHead}>
        {file !== undefined && <span className="mono muted">{file}</span>}
        <Button look="quiet" onClick={() => void copy()} aria-label={isCopied ? 'Copied' : `Copy ${label}`}>
          {isCopied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <pre tabIndex={0}>{code}</pre>
    </div>
  )
}
