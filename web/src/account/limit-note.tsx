/** Shows the limits of a key. */
import { type Limits, limitsText } from './words.ts'

export const LimitNote = ({ apiKey }: { readonly apiKey: Limits }) => {
  const text = limitsText(apiKey)
  const whole = [...(apiKey.permissions ?? []), ...apiKey.allowed_cidrs].join('\n')
  return text === '' ? null : (
    <span className="muted" title={whole}>
      {' '}
      {text}
    </span>
  )
}
