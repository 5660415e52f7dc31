/** Scans the services of one responding host: its open ports, its SSH key, its SNMP agent. Bounded in time. */
import { createSemaphore, type Semaphore } from '../ports/semaphore.ts'
import type { FoundService, OsVote, SnmpLogin, SnmpSystem, SshLogin } from '../protocol.ts'
import type { ScanContext } from '../scan-context.ts'
import type { FoundAgent } from '../snmp/find-agents.ts'
import { GENERIC_SYSTEMS } from '../snmp/generic-systems.ts'
import type { Pacer } from '../sweeps/pacer.ts'
import { cleanName, cleanText } from './clean-text.ts'
import type { Certificate } from './conversation.ts'
import type { NetworkAnswers } from './network-questions.ts'
import { OS_WEIGHTS } from './os-guess.ts'
import { probeService } from './probe-service.ts'
import type { Recog } from './recog.ts'
import type { SshSystem } from './ssh.ts'

export type HostServices = {
  readonly context: ScanContext
  readonly connections: Semaphore
  readonly handshakes: Semaphore
  readonly pacer: Pacer
  readonly recog: Recog | undefined
}

/** A host gets this long, however many ports it has open and however slowly it speaks. */
const HOST_MS = 30_000
/** A service gets this long at least, and where probes may take longer half as long again as one of them. */
const LEAST_SERVICE_MS = 1500
const SSH_MS = 6000
/** The limit of one host: many devices have few sockets. */
const PORTS_AT_ONCE = 8
/** More are no services: something answers for every port. */
const MOST_PORTS = 64

const listCertificateNames = ({ subject, names }: Certificate): string[] =>
  [...new Set([subject, ...names].map(cleanName))]
    .filter((name) => name.includes('.') && !/^[\d.]+$/.test(name))
    .slice(0, 4)

/** Returns true if the login is for every host, or for this one. */
const isForHost = ({ ip }: Pick<SnmpLogin | SshLogin, 'ip'>, index: number, { targets }: ScanContext): boolean =>
  ip === '' || targets.indexOf(ip) === index

const noteSystem = (index: number, { findings }: ScanContext, { os, kernel, hostname }: SshSystem): void => {
  findings.evidence(index, 'ssh', 'logged in by SSH')
  const name = cleanName(hostname)
  if (name !== '' && name !== 'localhost') findings.addName(index, { name, source: 'ssh' })
  if (os !== '')
    findings.amend(index, ({ votes }) => {
      votes.push({ os, weight: OS_WEIGHTS.login, because: `SSH login: ${kernel}` })
    })
}

const scanSsh = async (
  index: number,
  port: number,
  { tools, signal }: { tools: HostServices; signal: AbortSignal },
): Promise<void> => {
  const { context, handshakes } = tools
  const { plan, targets, findings, reporter } = context
  const ip = targets.formatAddress(index)
  const { askSsh } = await import('./ssh.ts')
  const logins = plan.ssh.filter((login) => isForHost(login, index, context))
  // One round runs without logins, only to read the host key.
  for (const login of logins.length > 0 ? logins : [undefined]) {
    const found = await handshakes(() =>
      askSsh({ ip, port, timeoutMs: SSH_MS, login, pinnedKey: plan.hostKeys[ip] ?? '', signal }),
    )
    if (found.hostKey !== '')
      findings.amend(index, (details) => {
        // The key of the usual port speaks for the host.
        if (port === 22 || details.sshHostKey === '') details.sshHostKey = found.hostKey
      })
    if (found.refusal !== '') reporter.note(`${ip} tcp/${port}: ${found.refusal}`)
    if (found.system) return noteSystem(index, context, found.system)
  }
}

const noteService = (
  index: number,
  { findings }: ScanContext,
  { service, os, certificate }: { service: FoundService; os: string; certificate: Certificate | undefined },
): void =>
  findings.amend(index, (details) => {
    details.services.push(service)
    if (os !== '')
      details.votes.push({ os, weight: OS_WEIGHTS.banner, because: `${service.service} on tcp/${service.port}` })
    if (certificate === undefined) return
    if (details.tlsCertificate === '' || service.port === 443) details.tlsCertificate = certificate.sha256
    for (const name of listCertificateNames(certificate))
      if (!details.names.some((one) => one.name === name)) details.names.push({ name, source: 'tls' })
  })

const scanPort = async (
  index: number,
  port: number,
  { tools, signal }: { tools: HostServices; signal: AbortSignal },
): Promise<void> => {
  const { context, connections, recog } = tools
  const found = await connections(() =>
    probeService({
      ip: context.targets.formatAddress(index),
      port,
      totalMs: Math.max(LEAST_SERVICE_MS, context.plan.probeTimeoutMs * 1.5),
      signal,
      ...(recog && { refine: recog.refine }),
    }),
  )
  if (signal.aborted) return
  context.reporter.probed(1)
  noteService(index, context, found)
  if (found.isSsh) await scanSsh(index, port, { tools, signal })
}

/** Returns the usable logins of a host: the communities that its agent has answered, and SNMPv3 if it has an engine. */
const filterSnmpLogins = (index: number, agent: FoundAgent, context: ScanContext): SnmpLogin[] =>
  context.plan.snmp.filter(
    (login) =>
      isForHost(login, index, context) &&
      (login.version === 'v3' ? agent.engineId !== '' : agent.communities.includes(login.credentialId)),
  )

const nameProduct = ({ vendor, model, system }: SnmpSystem): string => {
  if (model === '') return system
  return model.toLowerCase().startsWith(vendor.toLowerCase()) ? model : `${vendor} ${model}`
}

const createVote = (os: string): OsVote => ({
  os,
  weight: GENERIC_SYSTEMS.has(os) ? OS_WEIGHTS.kernel : OS_WEIGHTS.snmp,
  because: 'SNMP',
})

const scanSnmp = async (
  index: number,
  agent: FoundAgent,
  { tools, signal }: { tools: HostServices; signal: AbortSignal },
): Promise<void> => {
  const { targets, findings } = tools.context
  const ip = targets.formatAddress(index)
  findings.evidence(
    index,
    'snmp',
    agent.engineId === '' ? 'answered SNMP' : `answered SNMP as engine ${agent.engineId}`,
  )
  const service = (product: string, version: string, banner: string): FoundService => ({
    port: 161,
    protocol: 'udp',
    service: 'snmp',
    product,
    version,
    banner,
    details: agent.engineId === '' ? {} : { 'engine-id': agent.engineId },
  })
  const put = (one: FoundService): void =>
    findings.amend(index, ({ services }) => {
      services.push(one)
    })
  const logins = filterSnmpLogins(index, agent, tools.context)
  if (logins.length === 0) return put(service('', '', ''))
  const [{ openAgent }, { readFacts }] = await Promise.all([import('../snmp/session.ts'), import('../snmp/facts.ts')])
  const opened = await openAgent({ ip, port: 161, signal }, logins)
  if (opened === undefined) return put(service('', '', ''))
  try {
    const read = await readFacts(opened.agent, {
      credentialId: opened.login.credentialId,
      engineId: agent.engineId,
      mayTell: (address) => !targets.isExcluded(address),
    })
    const system = tools.recog ? tools.recog.refineSystem(read, read.system) : read.system
    const facts = { ...read, system }
    put(service(nameProduct(system), system.version, cleanText(facts.description, 1024)))
    // The name of a system is any text: one that is no host name comes after those that are.
    const name = cleanName(facts.name) || facts.name
    if (name !== '') findings.addName(index, { name, source: 'snmp' })
    findings.amend(index, (details) => {
      details.snmp = facts
      if (system.system !== '') details.votes.push(createVote(system.system))
    })
    // The ARP table of a router names hosts beyond the reach of our own ARP.
    for (const { ip: address, mac } of facts.arp) {
      const other = targets.indexOf(address)
      if (other !== undefined && findings.up.has(other) && findings.getMac(other) === '')
        findings.setMac(other, mac, 'snmp')
    }
    const own = facts.interfaces.find(({ addresses }) => addresses.includes(ip))
    if (own && own.mac !== '' && findings.getMac(index) === '') findings.setMac(index, own.mac, 'snmp')
  } catch {
    put(service('', '', ''))
  } finally {
    opened.agent.close()
  }
}

/** Ends with the scan, and after its own time at the latest. */
const createHostSignal = (signal: AbortSignal): { signal: AbortSignal; end: () => void } => {
  const controller = new AbortController()
  const end = (): void => {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    controller.abort()
  }
  const timer = setTimeout(end, HOST_MS)
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  return { signal: controller.signal, end }
}

/** An error caused by one host loses only its own services. */
export const scanHost = async (index: number, tools: HostServices, answers: NetworkAnswers): Promise<void> => {
  try {
    await lookAt(index, tools, answers)
  } catch (error) {
    const { reporter, targets } = tools.context
    reporter.note(
      `${targets.formatAddress(index)}: ${error instanceof Error ? cleanText(error.message) : 'unknown fault'}`,
    )
  }
}

const lookAt = async (index: number, tools: HostServices, answers: NetworkAnswers): Promise<void> => {
  const { context } = tools
  const { findings, targets } = context
  if (!targets.has(index)) return
  const { signal, end } = createHostSignal(context.signal)
  const semaphore = createSemaphore(PORTS_AT_ONCE)
  const ports = findings.listOpenPorts(index).slice(0, MOST_PORTS)
  const snmp = async (): Promise<void> => {
    const agent = await answers.agents.of(index)
    if (agent && !signal.aborted) await scanSnmp(index, agent, { tools, signal })
  }
  try {
    await Promise.all([snmp(), ...ports.map((port) => semaphore(() => scanPort(index, port, { tools, signal })))])
  } finally {
    end()
  }
}
