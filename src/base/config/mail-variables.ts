// Declares the settings of e-mail, which are part of VARIABLES.

import { createOptionalParser, InvalidValue, type Parser } from './values.ts'

/** The SMTP server that takes mails. */
export type SmtpServer = {
  readonly host: string
  readonly port: number
  /** True for TLS from the first byte (RFC 8314). Without it STARTTLS is used if the server offers it. */
  readonly isSecure: boolean
  /** '' without a login. */
  readonly user: string
  readonly pass: string
  readonly verifiesCertificate: boolean
}

const PORTS = { 'smtp:': 587, 'smtps:': 465 }
const UNVERIFIED = '?verify=false'

/** Parses `smtp://user:password@host:587` or `smtps://`; `?verify=false` accepts every certificate. */
export const parseSmtpUrl: Parser<SmtpServer> = (value) => {
  const url = URL.parse(value)
  if (!url || !(url.protocol === 'smtp:' || url.protocol === 'smtps:'))
    throw new InvalidValue('must start with smtp:// or smtps://')
  if (url.hostname === '') throw new InvalidValue('must have a host')
  if (!['', '/'].includes(url.pathname) || url.hash !== '' || !['', UNVERIFIED].includes(url.search))
    throw new InvalidValue(`must end with the port, or with ${UNVERIFIED} behind it`)
  const decode = (text: string): string => {
    try {
      return decodeURIComponent(text)
    } catch {
      throw new InvalidValue('must have a user and a password that are percent-encoded')
    }
  }
  const [user, pass] = [decode(url.username), decode(url.password)]
  if ((user === '') !== (pass === '')) throw new InvalidValue('must have a user and a password, or neither')
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? PORTS[url.protocol] : Number(url.port),
    isSecure: url.protocol === 'smtps:',
    ...{ user, pass, verifiesCertificate: url.search !== UNVERIFIED },
  }
}

/** An address, or a name and an address in angle brackets (RFC 5322 3.4). */
const FROM = /^(?:[^<>"\p{Cc}]* <)?[^\s<>@"\p{Cc}]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?>?$/u

const parseFrom: Parser<string> = (value) => {
  if (!FROM.test(value) || value.includes('<') !== value.endsWith('>'))
    throw new InvalidValue('must be an e-mail address, such as plat@example.com or Plat <plat@example.com>')
  return value
}

export const MAIL_VARIABLES = {
  smtpUrl: {
    name: 'SMTP_URL',
    default: '',
    parse: createOptionalParser(parseSmtpUrl),
    isSecret: true,
    help: 'Mail server of webhooks with the format email, smtp://user:password@host:587 or smtps://...; ?verify=false accepts every certificate',
  },
  smtpFrom: {
    name: 'SMTP_FROM',
    default: '',
    parse: createOptionalParser(parseFrom),
    help: 'Sender of those mails, plat@example.com or Plat <plat@example.com>',
  },
} as const
