/** Records the answers of a system as a case of the test of its kind: without headers, and with secrets replaced. */
import type { Outbound, OutboundExchange, OutboundRequest } from '../../base/security/outbound.ts'
import type { Json, Options, SecretValues } from '../kinds/source-kind.ts'
import { createRedact } from './fetch-log.ts'

export type RecordedAnswer = {
  readonly method: 'GET' | 'POST'
  /** Below the origin of the URL; the whole URL of another origin. */
  readonly path: string
  /** The body of the request, with `***` in place of secrets. */
  readonly request?: string
  readonly status: number
} & ({ readonly json: Json } | { readonly text: string } | { readonly base64: string })

export type RecordedCase = {
  readonly url: string
  readonly options: Options
  /** Invented secrets. */
  readonly secrets: SecretValues
  readonly now: string
  readonly answers: readonly RecordedAnswer[]
}

type Identity = Pick<RecordedAnswer, 'method' | 'path' | 'request'>

const getOrigin = (url: string): string =>
  url.startsWith('unix:') ? 'http://localhost' : (URL.parse(url)?.origin ?? '')

/** Returns the function that says which request it is: that of the recording and that of the replay are compared. */
export const createIdentify = ({ url, secrets }: Pick<RecordedCase, 'url' | 'secrets'>) => {
  const redact = createRedact(secrets)
  const origin = getOrigin(url)
  return ({ url: asked, method, body }: OutboundRequest): Identity => ({
    method,
    path: redact(asked.startsWith(`${origin}/`) ? asked.slice(origin.length) : asked),
    ...(body === undefined ? {} : { request: redact(new TextDecoder().decode(body)) }),
  })
}

const encodeBody = (body: Uint8Array, redact: (text: string) => string) => {
  let text: string
  try {
    text = redact(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return { base64: Buffer.from(body).toString('base64') }
  }
  try {
    // It is parsed JSON.
    return { json: JSON.parse(text) as Json }
  } catch {
    return { text }
  }
}

export type Recorder = {
  readonly send: Outbound['exchange']
  /** The answers in the order of their requests. */
  readonly answers: () => RecordedAnswer[]
}

export const createRecorder = (send: Outbound['exchange'], given: Pick<RecordedCase, 'url' | 'secrets'>): Recorder => {
  const identify = createIdentify(given)
  const redact = createRedact(given.secrets)
  const recorded: (RecordedAnswer | undefined)[] = []
  return {
    send: async (request): Promise<OutboundExchange> => {
      const at = recorded.push(undefined) - 1
      const answer = await send(request)
      recorded[at] = { ...identify(request), status: answer.status, ...encodeBody(answer.body, redact) }
      return answer
    },
    answers: () => recorded.filter((answer) => answer !== undefined),
  }
}
