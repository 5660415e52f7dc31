/** `plat scanner run --check`: one poll, and what this scanner may do. */
import { type Capabilities, type PollRequest, WIRE_PATHS } from '../wire.ts'
import { readPollAnswer } from './answers.ts'
import { type DaemonContext, findTarget, openClient } from './daemon.ts'
import { CREDENTIAL_REFUSED, type DaemonEnd, describeTokenRefusal } from './ending.ts'
import { enrol } from './enrolment.ts'
import { readFacts } from './facts.ts'
import { listHoldings } from './spool-files.ts'
import { getSpoolFolder, isInUse, type State } from './state.ts'

const ANSWER_MS = 15_000

export type Checked = DaemonEnd & { readonly lines: readonly string[] }

const LABELS: Readonly<Record<keyof Capabilities, string>> = {
  icmp: 'finds hosts by ping',
  arp: 'finds hosts by ARP, also in large networks',
  neighbours: 'reads the neighbor table of the kernel',
  listen: 'sees at once who joins',
}

const formatCapabilities = (capabilities: Capabilities): string[] =>
  // `Object.keys` returns `string[]`; the type requires exactly these keys.
  (Object.keys(LABELS) as (keyof Capabilities)[]).map(
    (name) => `${name.padEnd(12)}${capabilities[name] ? 'yes' : 'no '}  ${LABELS[name]}`,
  )

const end = (code: DaemonEnd['code'], message: string): Checked => ({ code, message, lines: [] })

/** @param stored undefined before enrolment @throws AppError INVALID_INPUT for a missing token or URL */
export const checkScanner = async (context: DaemonContext, stored: State | undefined): Promise<Checked> => {
  const { options, version, signal } = context
  const { url, token: enrolmentToken } = findTarget(options, stored)
  const facts = readFacts(version, options.slots)
  const client = openClient(url, context)
  let state = stored
  if (enrolmentToken !== undefined) {
    const { stateDir } = options
    const enrolled = await enrol({ client, url, token: enrolmentToken, stateDir, facts, signal })
    if (enrolled.kind === 'refused') return end(3, describeTokenRefusal(enrolled.code))
    if (enrolled.kind !== 'enrolled') return end(6, enrolled.message)
    state = enrolled.state
  }
  if (!state) return end(3, CREDENTIAL_REFUSED)
  const { token, name } = state
  const { advice, slots: _, ...own } = facts
  // Names what a daemon beside it has on its hands: the server would take it back otherwise.
  const holding = listHoldings(getSpoolFolder(options.stateDir))
  const request: PollRequest = { ...own, holding, wait_seconds: 0 }
  const body = JSON.stringify(request)
  const reply = await client.send({ path: WIRE_PATHS.poll, token, body, timeoutMs: ANSWER_MS, signal })
  if (reply.kind === 'refused') return end(3, CREDENTIAL_REFUSED)
  if (reply.kind !== 'ok') return end(6, reply.message)
  const answer = readPollAnswer(reply.body)
  if (answer === undefined) return end(6, `${url} answers with something else than Plat does`)
  // Without a daemon, the server must not take this for one.
  if (!isInUse(options.stateDir))
    await client.send({ path: WIRE_PATHS.bye, token, body: '{}', timeoutMs: ANSWER_MS, signal })
  return {
    code: 0,
    message: '',
    lines: [
      `scanner     ${name}`,
      `server      ${url}, version ${answer.server_version || 'unknown'}`,
      ...formatCapabilities(own.capabilities),
      ...(advice === '' ? [] : [`for more    ${advice}`]),
    ],
  }
}
