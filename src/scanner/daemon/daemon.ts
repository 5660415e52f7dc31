/** A scanner: enrols, polls, runs scans and listens, until its signal, or until the server refuses it for good. */
import { getErrorMessage } from '../../contract/unknown.ts'
import { createUsageError } from '../../surfaces/cli/parse/usage-error.ts'
import { openLogins } from '../seal.ts'
import { type StartedScan, WIRE_PATHS } from '../wire.ts'
import { computeBackoff } from './backoff.ts'
import { type Client, createClient } from './client.ts'
import { CREDENTIAL_REFUSED, type DaemonEnd, describeTokenRefusal } from './ending.ts'
import { enrol } from './enrolment.ts'
import { readFacts } from './facts.ts'
import { createListening, type StartListening } from './listening.ts'
import { type DaemonOptions, parseServerUrl } from './options.ts'
import { startPolling } from './poll-loop.ts'
import { createScans } from './scans.ts'
import { createSpool } from './spool.ts'
import { getSpoolFolder, type State } from './state.ts'

export type DaemonContext = {
  readonly options: DaemonOptions
  readonly version: string
  readonly startListening: StartListening
  readonly log: (message: string) => void
  /** Its abort ends the daemon. */
  readonly signal: AbortSignal
}

/** Time for the goodbye, and for child processes beyond their own bound. */
const BYE_MS = 1500
const STOP_MS = 2500

export const openClient = (url: string, { options, version }: DaemonContext): Client =>
  createClient({ url, ca: options.ca, version })

/** Enrols, and tries again for as long as there is no answer. */
export const enrolPatiently = async (
  context: DaemonContext,
  { url, token }: { readonly url: string; readonly token: string },
): Promise<State | DaemonEnd> => {
  const { options, version, log, signal } = context
  const client = openClient(url, context)
  for (let attempt = 0; ; attempt++) {
    const facts = readFacts(version, options.slots)
    const reply = await enrol({ client, url, token, stateDir: options.stateDir, facts, signal })
    if (signal.aborted) return { code: 0, message: '' }
    if (reply.kind === 'enrolled') {
      log(`enrolled as ${reply.state.name}`)
      return reply.state
    }
    if (reply.kind === 'refused') return { code: 3, message: describeTokenRefusal(reply.code) }
    const ms = Math.max(computeBackoff(attempt), (reply.kind === 'away' && reply.retryAfterMs) || 0)
    log(`cannot enrol: ${reply.message}; tries again in ${Math.ceil(ms / 1000)} s`)
    await waitFor(ms, signal)
  }
}

const waitFor = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, ms)
    signal.addEventListener('abort', finish, { once: true })
    if (signal.aborted) finish()
  })

/** The server shows the scanner as offline at once. */
const sayGoodbye = async (client: Client, token: string): Promise<void> => {
  await client.send({
    path: WIRE_PATHS.bye,
    token,
    body: '{}',
    timeoutMs: BYE_MS,
    signal: new AbortController().signal,
  })
}

const openSealed = ({ private_key, public_key }: State, { scan_id, lease, sealed }: StartedScan) =>
  sealed && openLogins({ privateKey: private_key, publicKey: public_key }, { scanId: scan_id, lease }, sealed)

/** Works with a credential until the signal. @returns true if the server refuses it */
const isRefusedAtWork = async (context: DaemonContext, state: State, url: string): Promise<boolean> => {
  const { options, version, startListening, log, signal: asked } = context
  const client = openClient(url, context)
  const { token } = state
  const refused = new AbortController()
  const signal = AbortSignal.any([asked, refused.signal])
  const spool = createSpool({
    folder: getSpoolFolder(options.stateDir),
    maxBytes: options.spoolBytes,
    onFault: (error) => log(`the spool cannot be written: ${getErrorMessage(error)}`),
  })
  let renew = (): void => {}
  const scans = createScans({
    client,
    token,
    spool,
    slots: options.slots,
    open: (started) => openSealed(state, started),
    onRelease: () => renew(),
    log,
    signal,
  })
  const listening = createListening({ client, token, startListening, log, signal })
  const polling = startPolling({
    client,
    token,
    scans,
    readFacts: () => readFacts(version, options.slots),
    countReports: spool.countReports,
    onListen: listening.setNetworks,
    onReached: () => {
      scans.retry()
      listening.retry()
    },
    log,
    signal,
  })
  renew = polling.renew
  const isRefused = (await polling.ended) !== undefined
  if (isRefused) refused.abort()
  await Promise.race([
    Promise.all([scans.stop(), listening.stop(), isRefused ? undefined : sayGoodbye(client, token)]),
    Bun.sleep(STOP_MS),
  ])
  return isRefused
}

/** Returns the token that replaces a refused credential; undefined where there is none. */
const findNextToken = ({ readToken }: DaemonOptions): string | undefined => {
  try {
    return readToken()
  } catch {
    // The refusal of the server is the error that counts.
    return undefined
  }
}

const NO_TOKEN =
  'this scanner is not enrolled yet: give the token that the page of the scanner shows, by --token or PLAT_SCANNER_TOKEN'
const NO_URL = 'give the URL of the server by --url or PLAT_SCANNER_URL'

/** @throws AppError INVALID_INPUT for a missing token or URL */
export const findTarget = (
  { url, allowsHttp, readToken }: DaemonOptions,
  state: State | undefined,
): { readonly url: string; readonly token: string | undefined } => {
  const target = url ?? (state && parseServerUrl(state.url, allowsHttp))
  if (target === undefined) throw createUsageError(NO_URL)
  const token = state ? undefined : readToken()
  if (!state && token === undefined) throw createUsageError(NO_TOKEN)
  return { url: target, token }
}

/** @param stored undefined before enrolment @throws AppError INVALID_INPUT for a missing token or URL */
export const runDaemon = async (context: DaemonContext, stored: State | undefined): Promise<DaemonEnd> => {
  const { url, token } = findTarget(context.options, stored)
  let state = stored
  let nextToken = token
  for (;;) {
    if (nextToken !== undefined) {
      const enrolled = await enrolPatiently(context, { url, token: nextToken })
      if ('code' in enrolled) return enrolled.code === 3 && state ? { code: 3, message: CREDENTIAL_REFUSED } : enrolled
      state = enrolled
    }
    if (!state || !(await isRefusedAtWork(context, state, url))) return { code: 0, message: '' }
    const last = nextToken
    nextToken = findNextToken(context.options)
    if (nextToken === undefined || nextToken === last) return { code: 3, message: CREDENTIAL_REFUSED }
  }
}
