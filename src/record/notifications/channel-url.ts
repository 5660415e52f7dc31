/** The URLs of channels: their form by the format, and the masks of secret URLs. Browser-safe. */
import { type Format, hasSecretUrl } from './fields.ts'

const MAX_RECIPIENTS = 50
const MAIL = /^mailto:/i
/** A dot-atom and a host, as far as recipients need it: nothing that ends a header or begins a comment (RFC 5322 3.4.1). */
const ADDRESS = /^[A-Za-z0-9.!#$&'*+/=^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/

/** Returns the recipients of a `mailto:` URL. @example parseRecipients('mailto:a@x.test,b@y.test') // ['a@x.test', 'b@y.test'] */
export const parseRecipients = (url: string): string[] => url.replace(MAIL, '').split(',')

/** @returns undefined for valid recipients */
const checkRecipients = (url: string): string | undefined => {
  if (!MAIL.test(url)) return 'must be mailto: and e-mail addresses, such as mailto:noc@example.com,oncall@example.com'
  const recipients = parseRecipients(url)
  if (recipients.length > MAX_RECIPIENTS) return `must have at most ${MAX_RECIPIENTS} e-mail addresses`
  const wrong = recipients.find((address) => !ADDRESS.test(address))
  return wrong === undefined ? undefined : `has an invalid e-mail address: "${wrong.slice(0, 64)}"`
}

const TOPIC = /^[A-Za-z0-9_-]{1,64}$/

const checkNtfy = (url: URL): string | undefined =>
  TOPIC.test(url.pathname.split('/').findLast((part) => part !== '') ?? '')
    ? undefined
    : 'must end with the topic, such as https://ntfy.sh/my-topic'

const checkTelegram = ({ pathname, searchParams }: URL): string | undefined =>
  /\/bot[^/]+\/sendMessage$/.test(pathname) && searchParams.get('chat_id')
    ? undefined
    : 'must be https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>'

const SHOWN = '/...'

/** Returns the form in which a secret URL is shown. @example maskUrl('https://hooks.slack.com/services/T0/B0/x') // 'https://hooks.slack.com/...' */
export const maskUrl = (url: string): string => `${new URL(url).origin}${SHOWN}`

/** Returns the problem of a URL for a format; undefined for a URL without one. Addresses are checked elsewhere. */
export const checkUrlForm = (format: Format, url: string): string | undefined => {
  if (format === 'email') return checkRecipients(url)
  if (MAIL.test(url)) return 'must begin with http:// or https:// and a host'
  const parsed = URL.parse(url)
  if (!parsed?.hostname) return 'is not a URL'
  if (hasSecretUrl(format) && parsed.pathname === SHOWN)
    return 'is the form in which a secret URL is shown: enter the whole URL'
  if (format === 'ntfy') return checkNtfy(parsed)
  return format === 'telegram' ? checkTelegram(parsed) : undefined
}
