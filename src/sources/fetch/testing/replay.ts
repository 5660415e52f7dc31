/** Answers requests from a recorded case. A request that was not recorded is an error of the test. */
import type { Outbound, OutboundExchange } from '../../../base/security/outbound.ts'
import { createIdentify, type RecordedAnswer, type RecordedCase } from '../record.ts'

export type Body = { readonly status: number; readonly body: Uint8Array; readonly contentType: string }

export const encodeAnswer = (answer: RecordedAnswer): Body => {
  const { status } = answer
  if ('json' in answer)
    return { status, body: new TextEncoder().encode(JSON.stringify(answer.json)), contentType: 'application/json' }
  if ('text' in answer)
    return { status, body: new TextEncoder().encode(answer.text), contentType: 'text/plain; charset=utf-8' }
  return { status, body: Buffer.from(answer.base64, 'base64'), contentType: 'application/octet-stream' }
}

/** @param change replaces the answer with this number in the recording */
export const createReplay = (
  recorded: RecordedCase,
  change: (answer: Body, number: number) => Body = (answer) => answer,
): Outbound['exchange'] => {
  const identify = createIdentify(recorded)
  const toKey = ({ method, path, request = '' }: Pick<RecordedAnswer, 'method' | 'path' | 'request'>) =>
    JSON.stringify([method, path, request])
  const numbers = Map.groupBy(recorded.answers.keys(), (number) => {
    const answer = recorded.answers[number]
    return answer ? toKey(answer) : ''
  })
  return async (request): Promise<OutboundExchange> => {
    const key = toKey(identify(request))
    const left = numbers.get(key)
    // The last one answers again and again.
    const number = left && left.length > 1 ? left.shift() : left?.[0]
    const answer = number === undefined ? undefined : recorded.answers[number]
    if (number === undefined || !answer)
      throw new Error(`Not recorded: ${key}. answers.json has ${[...numbers.keys()].join(', ')}`)
    const { status, body, contentType } = change(encodeAnswer(answer), number)
    const most = request.maxBytes ?? body.length
    return {
      status,
      body: body.subarray(0, most),
      isCut: body.length > most,
      headers: new Headers({ 'content-type': contentType }),
    }
  }
}
