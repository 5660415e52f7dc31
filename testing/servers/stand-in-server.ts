/** A stand-in for a server that speaks the wire of scanners: one scanner, its scans, their leases and numbers, all in memory. */
import type { FoundHost, FromScanner, ScanPlan } from '../../src/scanner/protocol.ts'
import { sealLogins } from '../../src/scanner/seal.ts'
import {
  type EnrolRequest,
  type Holding,
  type ListenedNetwork,
  type Logins,
  type PollAnswer,
  type PollRequest,
  type ReportsRequest,
  type Sighting,
  WIRE_LIMITS,
} from '../../src/scanner/wire.ts'

export const SERVER_VERSION = '9.9.9'

export type StandInScan = {
  readonly id: string
  readonly plan: ScanPlan
  readonly logins: Logins | undefined
  status: 'pending' | 'running' | 'done' | 'failed' | 'cancelled'
  lease: string
  seq: number
  checkpoint: ScanPlan['checkpoint']
  readonly hosts: Map<string, FoundHost>
  /** Numbers of the requests that arrived, by lease, repeats included. */
  readonly arrived: { readonly lease: string; readonly seq: number; readonly reports: number }[]
  readonly reports: FromScanner[]
}

export type StandIn = {
  readonly url: string
  readonly port: number
  /** Paths and bodies of all requests. */
  readonly requests: readonly { readonly path: string; readonly body: string; readonly atMs: number }[]
  readonly polls: readonly PollRequest[]
  readonly sightings: readonly Sighting[]
  readonly state: {
    /** The enrolment token that works, once. */
    enrolmentToken: string
    /** The answer to a bad enrolment token. */
    enrolmentCode: 'INVALID_CREDENTIALS' | 'EXPIRED_KEY'
    isRevoked: boolean
    listen: readonly ListenedNetwork[]
    listenTag: string
    /** Answers reports by 503. */
    isBusy: boolean
    /** Answers all reports by 400 naming this field. */
    refusesField: string | undefined
    saidBye: number
    /** Logins are sealed for it. */
    publicKey: string
  }
  readonly give: (plan: ScanPlan, logins?: Logins) => StandInScan
  readonly cancel: (scan: StandInScan) => void
  /** Answers the open poll. */
  readonly wake: () => void
  readonly goAway: () => Promise<void>
  readonly comeBack: () => void
  readonly close: () => Promise<void>
}

export type StandInOptions = { readonly tls?: { readonly key: string; readonly cert: string } }

const TERMINAL = ['done', 'failed', 'cancelled'] as const

const refuse = (status: number, code: string, field?: string): Response =>
  Response.json(
    { code, error: `refused: ${code}`, details: field === undefined ? [] : [{ field, message: 'wrong' }] },
    { status },
  )

export const startStandIn = ({ tls }: StandInOptions = {}): StandIn => {
  const scans: StandInScan[] = []
  const requests: { path: string; body: string; atMs: number }[] = []
  const polls: PollRequest[] = []
  const sightings: Sighting[] = []
  const state: StandIn['state'] = {
    enrolmentToken: `plat_en_${'a'.repeat(43)}`,
    enrolmentCode: 'INVALID_CREDENTIALS',
    isRevoked: false,
    listen: [],
    listenTag: 'none',
    isBusy: false,
    refusesField: undefined,
    saidBye: 0,
    publicKey: '',
  }
  let token = ''
  const openPolls = new Set<() => void>()
  const wake = (): void => {
    for (const resume of [...openPolls]) resume()
  }

  const enrol = (given: string, body: EnrolRequest): Response => {
    if (given !== state.enrolmentToken) return refuse(401, state.enrolmentCode)
    state.enrolmentToken = ''
    state.isRevoked = false
    token = `plat_sc_${Bun.randomUUIDv7().replaceAll('-', '')}`
    state.publicKey = body.public_key
    return Response.json({ id: 'scanner-1', name: 'oslo', token, server_version: SERVER_VERSION }, { status: 201 })
  }

  const isHeld = (scan: StandInScan, { holding }: PollRequest): boolean =>
    holding.some(({ scan_id, lease }) => scan_id === scan.id && lease === scan.lease)

  const findWork = (request: PollRequest): PollAnswer | undefined => {
    // What it was given and does not name is given again, from the checkpoint.
    for (const scan of scans)
      if (scan.status === 'running' && !isHeld(scan, request)) Object.assign(scan, { status: 'pending', lease: '' })
    const free = Math.max(0, (request.slots ?? WIRE_LIMITS.slots) - request.holding.length)
    const taken = scans.filter(({ status }) => status === 'pending').slice(0, free)
    for (const scan of taken) Object.assign(scan, { status: 'running', lease: Bun.randomUUIDv7(), seq: 0 })
    const known = new Map(scans.map((scan) => [scan.id, scan]))
    const isLost = ({ scan_id, lease }: Holding): boolean => known.get(scan_id)?.lease !== lease
    const cancel = request.holding.filter(({ scan_id }) => known.get(scan_id)?.status === 'cancelled')
    const drop = request.holding.filter(isLost)
    if (taken.length + cancel.length + drop.length === 0 && request.listen_tag === state.listenTag) return undefined
    return {
      start: taken.map(({ id, lease, plan, checkpoint, logins }) => ({
        scan_id: id,
        lease,
        network_id: 'network-1',
        network_name: 'lan',
        plan: { ...plan, checkpoint },
        sealed: logins ? sealLogins(state.publicKey, { scanId: id, lease }, logins) : null,
      })),
      cancel: cancel.map(({ scan_id }) => scan_id),
      drop: drop.map(({ scan_id }) => scan_id),
      listen: state.listen,
      listen_tag: state.listenTag,
      server_version: SERVER_VERSION,
    }
  }

  const answerPoll = async (request: PollRequest): Promise<Response> => {
    polls.push(request)
    // The second poll ends the first.
    wake()
    const deadlineMs = performance.now() + (request.wait_seconds ?? WIRE_LIMITS.waitSeconds) * 1000
    for (let isOver = false; ; ) {
      if (state.isRevoked) return refuse(401, 'UNAUTHORIZED')
      const work = findWork(request)
      const restMs = deadlineMs - performance.now()
      if (work) return Response.json(work)
      if (isOver || restMs <= 0)
        return Response.json({
          ...{ start: [], cancel: [], drop: [], listen: state.listen, listen_tag: state.listenTag },
          server_version: SERVER_VERSION,
        })
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          clearTimeout(timer)
          openPolls.delete(finish)
          isOver = polls.at(-1) !== request
          resolve()
        }
        const timer = setTimeout(finish, restMs)
        openPolls.add(finish)
      })
    }
  }

  const store = (scan: StandInScan, reports: readonly FromScanner[]): void => {
    for (const report of reports) {
      scan.reports.push(report)
      if (report.type === 'batch') {
        for (const host of report.hosts) scan.hosts.set(host.ip, host)
        scan.checkpoint = report.checkpoint ?? scan.checkpoint
      }
      const ended = TERMINAL.find((type) => type === report.type)
      if (ended) scan.status = ended
    }
  }

  const takeReports = (id: string, { lease, seq, reports }: ReportsRequest): Response => {
    if (state.isBusy) return refuse(503, 'UNAVAILABLE')
    const scan = scans.find((one) => one.id === id)
    if (!scan || scan.lease !== lease) return refuse(404, 'NOT_FOUND')
    scan.arrived.push({ lease, seq, reports: reports.length })
    if (scan.status === 'cancelled') return Response.json({ ack: scan.seq, cancel: true })
    const isFailure = reports[0]?.type === 'failed'
    if (state.refusesField !== undefined && !isFailure) return refuse(400, 'VALIDATION_ERROR', state.refusesField)
    if (seq > scan.seq + 1) return refuse(400, 'VALIDATION_ERROR', 'seq')
    if (seq === scan.seq + 1) {
      scan.seq = seq
      store(scan, reports)
    }
    return Response.json({ ack: scan.seq, cancel: false })
  }

  const answer = async (request: Request): Promise<Response> => {
    const path = new URL(request.url).pathname
    const text = await request.text()
    requests.push({ path, body: text, atMs: performance.now() })
    const given = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
    // The tests check the bodies.
    const body = JSON.parse(text)
    if (path === '/api/scanner/enrol') return enrol(given, body)
    if (state.isRevoked || given !== token || token === '') return refuse(401, 'UNAUTHORIZED')
    if (path === '/api/scanner/poll') return answerPoll(body)
    if (path === '/api/scanner/bye') {
      state.saidBye++
      return new Response(null, { status: 204 })
    }
    if (path === '/api/scanner/sightings') {
      sightings.push(...body.sightings)
      return Response.json({ accepted: body.sightings.length, dropped: 0 })
    }
    const id = /^\/api\/scanner\/scans\/([^/]+)\/reports$/.exec(path)?.[1]
    return id === undefined ? refuse(404, 'NOT_FOUND') : takeReports(id, body)
  }

  const serve = (port: number) =>
    Bun.serve({ hostname: '127.0.0.1', port, idleTimeout: 60, fetch: answer, ...(tls ? { tls } : {}) })
  let server: ReturnType<typeof serve> | undefined = serve(0)
  const port = server.port ?? 0
  const goAway = async (): Promise<void> => {
    wake()
    await server?.stop(true)
    server = undefined
  }

  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    requests,
    polls,
    sightings,
    state,
    give: (plan, logins) => {
      const begun = { status: 'pending', lease: '', seq: 0, checkpoint: null } as const
      const kept = { hosts: new Map(), arrived: [], reports: [] }
      const scan: StandInScan = { id: Bun.randomUUIDv7(), plan, logins, ...begun, ...kept }
      scans.push(scan)
      wake()
      return scan
    },
    cancel: (scan) => {
      scan.status = 'cancelled'
      wake()
    },
    wake,
    goAway,
    comeBack: () => {
      server ??= serve(port)
    },
    close: goAway,
  }
}
