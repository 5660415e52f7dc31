/** A scanner that speaks its messages by hand, for tests: it enrols, and sends what the test says. */
import { z } from 'zod'
import { generateKeyPair, type KeyPair } from '../../src/scanner/seal.ts'
import {
  type EnrolRequest,
  type PollAnswer,
  type PollRequest,
  type StartedScan,
  WIRE_PATHS,
  WIRE_PROTOCOL,
} from '../../src/scanner/wire.ts'
import type { TestCaller } from '../app/app.ts'
import type { SignInApp } from '../sign-in/sign-in.ts'
import type { Instance } from './instances.ts'

/** Sends a request as it would come through a socket. */
export type Send = Instance['fetch']

export const FACTS: Omit<EnrolRequest, 'public_key'> = {
  protocol: WIRE_PROTOCOL,
  version: '1.0.0',
  hostname: 'box',
  capabilities: { icmp: true, arp: false, neighbours: true, listen: false },
  links: ['127.0.0.0/8'],
  slots: 2,
}

/** Long enough for a poll that is given something, and no pause in a test. */
const SHORT_S = 0.01

export type WireScanner = {
  readonly id: string
  readonly token: string
  readonly keys: KeyPair
  /** Sends a body to one of the paths of the wire. @param via another instance than the usual one */
  readonly post: (path: string, body: unknown, via?: Send) => Promise<Response>
  /** Polls, and hardly waits by default. @throws unless the answer is 200 */
  readonly poll: (body?: Partial<PollRequest>, via?: Send) => Promise<PollAnswer>
  /** Polls for the one scan that is to be started. */
  readonly take: (body?: Partial<PollRequest>) => Promise<StartedScan>
  readonly report: (
    scan: Pick<StartedScan, 'scan_id' | 'lease'>,
    seq: number,
    reports: readonly object[],
    via?: Send,
  ) => Promise<Response>
}

const Enrolled = z.object({ id: z.string(), name: z.string(), token: z.string(), server_version: z.string() })

export const buildReportsPath = (scanId: string): string => WIRE_PATHS.reports.replace('{id}', scanId)

export const postWith =
  (send: Send, token: string) =>
  (path: string, body: unknown, via: Send = send): Promise<Response> =>
    via('POST', path, { Authorization: `Bearer ${token}` }, body)

/** Redeems an enrolment token. */
export const enrolWith = async (send: Send, token: string): Promise<WireScanner> => {
  const keys = generateKeyPair()
  const enrolled = await postWith(send, token)(WIRE_PATHS.enrol, { ...FACTS, public_key: keys.publicKey })
  if (enrolled.status !== 201) throw new Error(`the enrolment is refused: ${await enrolled.text()}`)
  const { id, token: own } = Enrolled.parse(await enrolled.json())
  const post = postWith(send, own)
  const poll: WireScanner['poll'] = async (body = {}, via = send) => {
    const { protocol, version } = FACTS
    const usual = { protocol, version, holding: [], listen_tag: '', wait_seconds: SHORT_S }
    const answer = await post(WIRE_PATHS.poll, { ...usual, ...body }, via)
    if (answer.status !== 200) throw new Error(`the poll is refused: ${await answer.text()}`)
    // The server of this program answers.
    return (await answer.json()) as PollAnswer
  }
  return {
    ...{ id, token: own, keys, post, poll },
    take: async (body = {}) => {
      const { start } = await poll(body)
      const [only, ...others] = start
      if (!only || others.length > 0) throw new Error(`there are ${start.length} scans to start, and not one`)
      return only
    },
    report: ({ scan_id, lease }, seq, reports, via = send) =>
      post(buildReportsPath(scan_id), { lease, seq, reports }, via),
  }
}

type Draft = Parameters<TestCaller['api']['scanners']['create']>[0]

/** Creates a scanner and enrols it. */
export const createScanner = async (send: Send, { api }: Pick<TestCaller, 'api'>, draft: Draft): Promise<WireScanner> =>
  enrolWith(send, (await api.scanners.create(draft)).enrolment_token)

const Created = z.object({ enrolment_token: z.string() })

type Session = { readonly app: Pick<SignInApp, 'send'>; readonly cookie: string }

/** Creates two scanners, and enrols one. Returns a function that returns the token that opens a path; undefined for paths of users. */
export const createTokens = async ({ app, cookie }: Session): Promise<(path: string) => string | undefined> => {
  const create = async (name: string): Promise<string> => {
    const created = await app.send('POST /api/scanners', { cookie, body: { name } })
    return Created.parse(await created.json()).enrolment_token
  }
  const send: Send = (method, path, headers, body) => app.send(`${method} ${path}`, { headers, body })
  const enrolmentToken = await create('waiting')
  const { token } = await enrolWith(send, await create('enrolled'))
  return (path) => (path === WIRE_PATHS.enrol ? enrolmentToken : path.startsWith('/api/scanner/') ? token : undefined)
}
