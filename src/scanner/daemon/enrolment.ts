/** Redeems an enrolment token for the credential of this scanner, and stores that. */
import { generateKeyPair } from '../seal.ts'
import { type EnrolRequest, WIRE_PATHS } from '../wire.ts'
import { readEnrolAnswer } from './answers.ts'
import type { Client, Reply } from './client.ts'
import type { OwnFacts } from './facts.ts'
import { type State, writeState } from './state.ts'

const ANSWER_MS = 30_000

export type EnrolOptions = {
  readonly client: Client
  readonly url: string
  readonly token: string
  readonly stateDir: string
  readonly facts: OwnFacts
  readonly signal: AbortSignal
}

type Enrolled = { readonly kind: 'enrolled'; readonly state: State; readonly serverVersion: string }

export const enrol = async (options: EnrolOptions): Promise<Enrolled | Exclude<Reply, { kind: 'ok' }>> => {
  const { client, url, token, stateDir, facts, signal } = options
  const { privateKey, publicKey } = generateKeyPair()
  const { advice: _, ...own } = facts
  const request: EnrolRequest = { ...own, public_key: publicKey }
  const body = JSON.stringify(request)
  const reply = await client.send({ path: WIRE_PATHS.enrol, token, body, timeoutMs: ANSWER_MS, signal })
  if (reply.kind !== 'ok') return reply
  const answer = readEnrolAnswer(reply.body)
  if (answer === undefined)
    return { kind: 'away', message: `${url} answers with something else than Plat does`, retryAfterMs: undefined }
  const { id, name } = answer
  const state = { id, name, token: answer.token, url, private_key: privateKey, public_key: publicKey }
  writeState(stateDir, state)
  return { kind: 'enrolled', state, serverVersion: answer.server_version }
}
