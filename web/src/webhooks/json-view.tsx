/** Shows JSON with line breaks and syntax colors. */
import { Button } from '../ui/button.tsx'
import { useCopy } from '../ui/primitives.tsx'
import css from './webhooks.module.css'

/** Matches a name with its colon, a string, or another scalar. */
const PIECE = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

const getKind = ([all, text, colon]: RegExpMatchArray): 'name' | 'text' | 'value' =>
  text === undefined ? 'value' : colon === undefined || all === undefined ? 'text' : 'name'

const splitPieces = (json: string) => {
  const matches = [...json.matchAll(PIECE)]
  let at = 0
  const pieces = matches.flatMap((match) => {
    const before = json.slice(at, match.index)
    const text = match[1] ?? match[0]
    at = match.index + text.length
    return [
      { kind: 'mark', text: before, from: match.index - before.length },
      { kind: getKind(match), text, from: match.index },
    ]
  })
  return [...pieces, { kind: 'mark', text: json.slice(at), from: at }].filter(({ text }) => text !== '')
}

export const CopyButton = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const { isCopied, copy, icon } = useCopy(text, 14)
  return (
    <Button isIcon look="quiet" onClick={copy} aria-label={isCopied ? 'Copied' : `Copy ${label}`}>
      {icon}
    </Button>
  )
}

export const JsonView = ({ value }: { readonly value: unknown }) => {
  const json = JSON.stringify(value, null, 2)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
    <pre className={css.code} tabIndex={0}>
      {splitPieces(json).map(({ kind, text, from }) => (
        <span key={from} data-kind={kind}>
          {text}
        </span>
      ))}
    </pre>
  )
}
