/** Shows the limits of a key. */
import { formatLimits, type Limits } from './labels.ts'

export const LimitNote = ({ apiKey }: { readonly apiKey: Limits }) => {
  const text = formatLimits(apiKey)
  const whole = [...(apiKey.permissions ?? []), ...apiKey.allowed_cidrs].join('\n')
  return text === '' ? null : (
    <span className="muted" title={whole}>
      {' '}
      {text}
    </span>
  )
}
