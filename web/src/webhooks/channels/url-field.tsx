/** The URL of a webhook, with a hint for the chosen service. */
import { TextField } from '../../ui/field.tsx'
import type { Webhook } from '../queries.ts'
import { hasSecretUrl, SERVICES, toFormat } from './formats.ts'

type Props = {
  readonly stored: Webhook | undefined
  readonly format: string | undefined
  readonly allowsPrivate: boolean | undefined
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

/** Says whether the server permits private addresses; nothing until that is known. */
const formatAddresses = (allowsPrivate: boolean | undefined): string =>
  allowsPrivate === undefined
    ? ''
    : ` Addresses of this machine ${allowsPrivate ? '' : 'and of private networks '}are refused.`

const getHint = ({ stored, format, allowsPrivate, value }: Props): string => {
  const chosen = toFormat(format)
  const isKept = stored !== undefined && hasSecretUrl(stored.format) && value === stored.url
  if (isKept && hasSecretUrl(chosen)) return 'Stored; only its host is shown. Left as it is, it is kept.'
  if (isKept) return `The stored URL is a secret. Enter the one of ${SERVICES[chosen].name}.`
  const { paste } = SERVICES[chosen]
  return chosen === 'email' ? paste : `${paste}${formatAddresses(allowsPrivate)}`
}

export const UrlField = (props: Props) => {
  const { format, value, onChange, error } = props
  const chosen = toFormat(format)
  return (
    <TextField
      label={chosen === 'email' ? 'Recipients' : 'URL'}
      hint={getHint(props)}
      placeholder={SERVICES[chosen].placeholder}
      isMono
      required
      value={value}
      onChange={onChange}
      error={error}
    />
  )
}
