/** Signs requests to AWS: signature version 4, with the hash of the body and all headers. */
import { createHash, createHmac } from 'node:crypto'

export type Keys = {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** '' for keys that are not temporary. */
  readonly sessionToken: string
}

export type Unsigned = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly service: string
  readonly region: string
  readonly date: Date
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
const sign = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** @example formatTime(new Date('2015-08-30T12:36:00Z')) // '20150830T123600Z' */
const formatTime = (date: Date): string => date.toISOString().replace(/[-:]|\.\d+/g, '')

/** Returns the headers of a signed POST without a query: the given ones, the time, the token and the signature. */
export const signRequest = (
  { url, headers, body, service, region, date }: Unsigned,
  { accessKeyId, secretAccessKey, sessionToken }: Keys,
): Record<string, string> => {
  const time = formatTime(date)
  const day = time.slice(0, 8)
  const sent: Record<string, string> = {
    ...headers,
    'x-amz-date': time,
    ...(sessionToken !== '' && { 'x-amz-security-token': sessionToken }),
  }
  const signed = Object.entries({ ...sent, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const names = signed.map(([name]) => name).join(';')
  const lines = signed.map(([name, value]) => `${name}:${value}\n`).join('')
  const canonical = ['POST', url.pathname, '', lines, names, hash(body)].join('\n')
  const scope = `${day}/${region}/${service}/aws4_request`
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(sign, `AWS4${secretAccessKey}`)
  const signature = sign(key, [ALGORITHM, time, scope, hash(canonical)].join('\n')).toString('hex')
  return {
    ...sent,
    authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}
