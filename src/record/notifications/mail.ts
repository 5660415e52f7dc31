/** Sends messages by e-mail, over the SMTP server of the configuration. */
import type { Config } from '../../base/config/config.ts'
import { isRecord } from '../../contract/unknown.ts'
import { parseRecipients } from './channel-url.ts'
import { type MailBody, renderHtml } from './formats.ts'

export type MailAnswer = {
  /** The code of the SMTP server; undefined if there was no answer. */
  readonly code: number | undefined
  readonly text: string
  /** '' for a mail that was taken. */
  readonly error: string
}

type Mail = {
  /** The id of the delivery. */
  readonly id: string
  /** `mailto:` and the recipients. */
  readonly url: string
  readonly body: string
  readonly timeoutMs: number
  readonly userAgent: string
  readonly signal?: AbortSignal
}

export type Mailer = { readonly send: (mail: Mail) => Promise<MailAnswer> }

const OK = 250
const MAX_ERROR = 500

/** Returns the code at the beginning of an answer (RFC 5321 4.2). */
const parseCode = (text: string): number | undefined => {
  const code = /^([245]\d\d)\b/.exec(text)?.[1]
  return code === undefined ? undefined : Number(code)
}

const getHost = (from: string): string => /@([A-Za-z0-9.-]+)/.exec(from)?.[1] ?? 'plat.invalid'

/** Returns the time in a UUIDv7 (RFC 9562 5.7), so that each attempt has the same date. */
const getDate = (id: string): Date => new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))

/** A delivery of another format, from before the format of its webhook was changed, is no mail. */
const parseBody = (body: string): MailBody | undefined => {
  const parsed: unknown = JSON.parse(body)
  if (!isRecord(parsed)) return undefined
  const { subject, text } = parsed
  return typeof subject === 'string' && typeof text === 'string' ? { subject, text } : undefined
}

const toFailure = (error: unknown): MailAnswer => {
  const { message, responseCode, response } = error as {
    readonly message?: string
    readonly responseCode?: number
    readonly response?: string
  }
  const text = response ?? ''
  return { code: responseCode ?? parseCode(text), text, error: (message ?? String(error)).slice(0, MAX_ERROR) }
}

/** Returns undefined without SMTP_URL and SMTP_FROM. */
export const createMailer = ({ smtpUrl, smtpFrom }: Pick<Config, 'smtpUrl' | 'smtpFrom'>): Mailer | undefined => {
  if (smtpUrl === undefined || smtpFrom === undefined) return undefined
  const { host, port, isSecure, user, pass, verifiesCertificate } = smtpUrl
  const send = async ({ id, url, body, timeoutMs, userAgent, signal }: Mail): Promise<MailAnswer> => {
    const mail = parseBody(body)
    if (!mail) return { code: undefined, text: '', error: 'was made for another format' }
    // Loaded by the first mail, because loading it takes long.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      ...{ host, port, secure: isSecure },
      // Without encryption no password is sent.
      ...(user === '' ? {} : { auth: { user, pass }, requireTLS: !isSecure }),
      tls: { rejectUnauthorized: verifiesCertificate },
      ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs, dnsTimeout: timeoutMs },
      ...{ disableFileAccess: true, disableUrlAccess: true },
    })
    const ended = Promise.withResolvers<never>()
    const timer = setTimeout(() => ended.reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs)
    const abort = () => ended.reject(new Error('the server is stopping'))
    signal?.addEventListener('abort', abort, { once: true })
    try {
      const sending = transport.sendMail({
        from: smtpFrom,
        to: parseRecipients(url),
        subject: mail.subject,
        text: mail.text,
        html: renderHtml(mail.text),
        messageId: `<${id}@${getHost(smtpFrom)}>`,
        date: getDate(id),
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Mailer': userAgent },
      })
      const { response, rejectedErrors = [] } = await Promise.race([sending, ended.promise])
      // The mail is not sent again, because the others have it.
      const refused = rejectedErrors.map(({ recipient, message }) => `${recipient}: ${message}`)
      return { code: parseCode(response) ?? OK, text: [response, ...refused].join('\n'), error: '' }
    } catch (error) {
      return toFailure(error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      transport.close()
    }
  }
  return { send }
}
