/** Questions by UDP that go to all living hosts at once: SNMP, NetBIOS, and multicast DNS on the links of this machine. */

import type { ScanContext } from '../scan-context.ts'
import { type AgentSearch, findAgents } from '../snmp/find-agents.ts'
import type { Pacer } from '../sweeps/pacer.ts'
import { cleanName } from './clean-text.ts'
import { askMdns, type MdnsFinding } from './mdns.ts'
import { buildNetbiosQuestion, NETBIOS_PORT, readNetbios } from './netbios.ts'
import { OS_WEIGHTS } from './os-guess.ts'
import { askByUdp } from './udp-ask.ts'

export type NetworkAnswers = {
  readonly agents: AgentSearch
  readonly finish: () => Promise<void>
}

const TRIES = 2
const WAIT_MS = 500
const MDNS_WAIT_MS = 1000

const askNetbios = (
  context: ScanContext,
  { hosts, pacer }: { hosts: readonly number[]; pacer: Pacer },
): Promise<void> => {
  const { targets, findings, signal, reporter } = context
  if (targets.family === 6) return Promise.resolve()
  const secret = crypto.getRandomValues(new Uint16Array(1))[0] ?? 0
  const computeId = (index: number): number => (index ^ secret) & 0xffff
  return askByUdp({
    targets,
    port: NETBIOS_PORT,
    hosts,
    tries: TRIES,
    waitMs: WAIT_MS,
    pacer,
    signal,
    onSent: () => reporter.probed(1),
    questionFor: (index) => buildNetbiosQuestion(computeId(index)),
    onAnswer: (index, message) => {
      const found = readNetbios(message, computeId(index))
      if (found === undefined) return false
      findings.evidence(index, 'netbios', `answered a NetBIOS query as ${found.name || 'an unnamed host'}`)
      if (found.name !== '') findings.addName(index, { name: found.name, source: 'netbios' })
      if (found.mac !== '') findings.setMac(index, found.mac, 'netbios')
      findings.amend(index, ({ services, votes }) => {
        const details: Record<string, string> = found.group === '' ? {} : { workgroup: found.group }
        services.push({
          port: NETBIOS_PORT,
          protocol: 'udp',
          service: 'netbios-ns',
          product: '',
          version: '',
          banner: '',
          details,
        })
        // Samba says no MAC: then it is no Windows.
        if (found.mac !== '')
          votes.push({ os: 'Windows', weight: OS_WEIGHTS.windowsPort, because: 'NetBIOS with a MAC' })
      })
      return true
    },
  })
}

/** Models that name a system. */
const MODELS: readonly (readonly [RegExp, string])[] = [
  [/^(?:Mac|iMac)/, 'macOS'],
  [/^(?:iPhone|iPad)/, 'iOS'],
  [/^AppleTV/, 'tvOS'],
  [/Chromecast|Google|Nest/, 'Cast device'],
  [/LaserJet|OfficeJet|DeskJet|Brother|Canon|EPSON|Xerox|Kyocera|Lexmark|Ricoh|MFC-|HL-/i, 'Printer'],
]

const noteMdns = ({ targets, findings }: ScanContext, ip: string, { name, mac, model, kinds }: MdnsFinding): void => {
  const index = targets.indexOf(ip)
  if (index === undefined) return
  findings.evidence(index, 'mdns', 'answered multicast DNS')
  const clean = cleanName(name)
  if (clean !== '') findings.addName(index, { name: clean, source: 'mdns' })
  if (mac !== '') findings.setMac(index, mac, 'mdns')
  findings.amend(index, ({ services, votes }) => {
    const known = services.find((one) => one.service === 'mdns')
    const details: Record<string, string> = {
      ...known?.details,
      ...(model !== '' && { model }),
      ...(kinds.length > 0 && { services: kinds.join(' ') }),
    }
    if (known) services.splice(services.indexOf(known), 1)
    services.push({ port: 5353, protocol: 'udp', service: 'mdns', product: model, version: '', banner: '', details })
    const os = MODELS.find(([pattern]) => pattern.test(model))?.[1]
    if (os && !votes.some((vote) => vote.os === os))
      votes.push({ os, weight: OS_WEIGHTS.mdns, because: `mDNS model ${model}` })
  })
}

/** Begins at once. */
export const askNetwork = (
  context: ScanContext,
  { hosts, pacer }: { hosts: readonly number[]; pacer: Pacer },
): NetworkAnswers => {
  const { links, signal, targets } = context
  const agents = findAgents(context, { hosts, pacer })
  const netbios = askNetbios(context, { hosts, pacer })
  const mdns = targets.family === 4 ? links.all : []
  const asked = mdns.map(({ address }) =>
    askMdns({
      from: address,
      waitMs: MDNS_WAIT_MS,
      signal,
      onFinding: (ip, finding) => noteMdns(context, ip, finding),
    }),
  )
  return {
    agents,
    finish: async () => {
      await Promise.all([agents.finish, netbios, ...asked])
    },
  }
}
