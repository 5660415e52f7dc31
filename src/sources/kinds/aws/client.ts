/** Calls AWS: signed forms, answers in XML, pages by tokens. Errors of AWS have the codes of runs. */
import { getXmlText, type XmlNode } from '../../../net/xml/xml-tree.ts'
import { FetchError } from '../../fetch/fetch-error.ts'
import type { RunErrorCode } from '../../schema.ts'
import type { Answered, FetchMeans } from '../source-kind.ts'
import { readAnswer } from '../xml-answer.ts'
import { signRequest } from './sign.ts'

/** Stands for the endpoints of the regions. */
export const DEFAULT_URL = 'https://ec2.amazonaws.com'
export const NEEDS = 'ec2:DescribeVpcs, ec2:DescribeSubnets and ec2:DescribeInstances'

const VERSIONS = { ec2: '2016-11-15', sts: '2011-06-15' } as const
/** Statuses with an error of AWS. Some servers call its XML a web page. */
const ANSWERED = [400, 401, 403, 503]
const PAGE = '1000'
const MAX_MESSAGE = 300

/** The domains of partitions other than the one of most regions, which the government of the USA shares. */
const DOMAINS: readonly (readonly [prefix: string, domain: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
]

const CODES: Readonly<Record<string, RunErrorCode>> = {
  AuthFailure: 'unauthorized',
  ExpiredToken: 'unauthorized',
  IncompleteSignature: 'unauthorized',
  InvalidAccessKeyId: 'unauthorized',
  InvalidClientTokenId: 'unauthorized',
  MissingAuthenticationToken: 'unauthorized',
  RequestExpired: 'unauthorized',
  SignatureDoesNotMatch: 'unauthorized',
  AccessDenied: 'forbidden',
  OptInRequired: 'forbidden',
  PendingVerification: 'forbidden',
  UnauthorizedOperation: 'forbidden',
  RequestLimitExceeded: 'rate_limited',
  Throttling: 'rate_limited',
  ServiceUnavailable: 'unreachable',
  Unavailable: 'unreachable',
}
const STATUSES: Readonly<Record<number, RunErrorCode>> = { 401: 'unauthorized', 403: 'forbidden', 503: 'unreachable' }

type Service = keyof typeof VERSIONS
export type Call = {
  readonly service: Service
  readonly region: string
  readonly action: string
  /** Where the objects are, below the root. */
  readonly list: readonly string[]
}

const isAt = (path: readonly string[], wanted: readonly string[]): boolean =>
  path.length === wanted.length && wanted.every((name, at) => path[at] === name)

const buildEndpoint = (service: Service, region: string): string => {
  const [, domain] = DOMAINS.find(([prefix]) => region.startsWith(prefix)) ?? ['', 'amazonaws.com']
  return `https://${service}.${region}.${domain}`
}

/** Returns the error element of an answer. EC2 wraps it once more than STS. */
const findError = (answered: Answered, request: string): XmlNode | undefined => {
  for (const root of ['Response', 'ErrorResponse'])
    try {
      const picks = (path: readonly string[]) => path.at(-1) === 'Error'
      for (const node of readAnswer({ body: answered.body, request, root, picks })) return node
    } catch (error) {
      // Proxies answer without XML; the status tells the rest.
      if (!(error instanceof FetchError)) throw error
    }
  return undefined
}

const readRetryAfter = ({ headers }: Answered): number | undefined => {
  const seconds = Number(headers.get('retry-after') ?? '')
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 3600) : undefined
}

export class AwsClient {
  readonly #means: FetchMeans
  readonly #started = performance.now()

  constructor(means: FetchMeans) {
    this.#means = means
  }

  /** Yields the objects of all pages. @throws FetchError */
  async *list({ service, region, action, list }: Call): AsyncGenerator<XmlNode> {
    let token = ''
    do {
      const params = { MaxResults: PAGE, ...(token !== '' && { NextToken: token }) }
      const request = `${action} in ${region}`
      const { body } = await this.#send({ service, region, action }, service === 'sts' ? {} : params)
      const before = token
      token = ''
      const picks = (path: readonly string[]) => isAt(path, list) || isAt(path, ['nextToken'])
      for (const node of readAnswer({ body, request, root: `${action}Response`, picks }))
        if (node.name === 'nextToken') token = node.text
        else yield node
      if (token !== '' && token === before)
        throw new FetchError('bad_answer', `${request}: the same page came again: its token is its own`)
    } while (token !== '')
  }

  async #send({ service, region, action }: Omit<Call, 'list'>, params: Readonly<Record<string, string>>) {
    const { url, ask, now } = this.#means
    const base = url === DEFAULT_URL ? buildEndpoint(service, region) : url
    const body = new URLSearchParams({ Action: action, Version: VERSIONS[service], ...params }).toString()
    const headers = signRequest(
      {
        url: new URL(`${base}/`),
        // STS answers in JSON to whom takes it.
        headers: { accept: 'text/xml', 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
        body,
        service,
        region,
        // AWS refuses a time that is five minutes old, and a run may take an hour.
        date: new Date(now.getTime() + performance.now() - this.#started),
      },
      this.#keys(),
    )
    const send = base === url ? ask : ask.at(base)
    const answered = await send('/', { method: 'POST', headers, body, alsoAllows: ANSWERED, allowsHtml: true })
    if (answered.status !== 200) throw this.#toError(answered, `${action} in ${region}`)
    return answered
  }

  #keys() {
    const { access_key_id = '', secret_access_key = '', session_token = '' } = this.#means.secrets
    return { accessKeyId: access_key_id, secretAccessKey: secret_access_key, sessionToken: session_token }
  }

  #toError(answered: Answered, request: string): FetchError {
    const node = findError(answered, request)
    const name = getXmlText(node, 'Code')
    const code = (Object.hasOwn(CODES, name) ? CODES[name] : STATUSES[answered.status]) ?? 'bad_answer'
    const words = `${name || `status ${answered.status}`}: ${getXmlText(node, 'Message').slice(0, MAX_MESSAGE)}`
    const needs = code === 'unauthorized' || code === 'forbidden' ? `. The key needs ${NEEDS}` : ''
    const text = `${request}: ${words.replace(/[:.\s]+$/, '')}${needs}`
    return new FetchError(code, text, code === 'rate_limited' ? readRetryAfter(answered) : undefined)
  }
}
