/** Which of the living hosts have an SNMP agent. */

import type { ScanContext } from '../scan-context.ts'
import { askByUdp } from '../services/udp-ask.ts'
import type { Pacer } from '../sweeps/pacer.ts'
import { buildCommunityQuestion, buildEngineQuestion, readCommunity, readEngine } from './agent-question.ts'

export const SNMP_PORT = 161

export type FoundAgent = {
  /** In hex; empty when it speaks no version 3. */
  engineId: string
  /** Credentials with a community that the agent answered, in the order of the plan. */
  readonly communities: string[]
}

const TRIES = 2
const WAIT_MS = 600

/** Request ids that an onlooker cannot guess, one for each host. */
const createIds = () => {
  const base = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0
  return (index: number): number => ((base ^ (index * 0x01000193)) & 0x3fffffff) | 0x01000000
}

/** `of` resolves as soon as all requests to the host are answered; `finish` resolves when no request is pending. */
export type AgentSearch = {
  readonly of: (index: number) => Promise<FoundAgent | undefined>
  readonly finish: Promise<void>
}

type Community = {
  readonly credentialId: string
  readonly community: string
  /** Returns true for a host that may receive it. */
  readonly isFor: (index: number) => boolean
}

/** Returns the communities of a plan. A credential of a device has one login for each of its addresses. */
const listCommunities = ({ plan, targets }: ScanContext): Community[] => {
  const all = plan.snmp.flatMap((login) => (login.version === 'v2c' ? [login] : []))
  return [...Map.groupBy(all, ({ credentialId }) => credentialId)].map(([credentialId, logins]) => {
    const own = new Set(logins.map(({ ip }) => targets.indexOf(ip)))
    const isForAll = logins.some(({ ip }) => ip === '')
    return { credentialId, community: logins[0]?.community ?? '', isFor: (index) => isForAll || own.has(index) }
  })
}

/** Begins at once. */
export const findAgents = (
  context: ScanContext,
  { hosts, pacer, port = SNMP_PORT }: { hosts: readonly number[]; pacer: Pacer; port?: number },
): AgentSearch => {
  const { targets, signal, reporter } = context
  const agents = new Map<number, FoundAgent>()
  const communities = listCommunities(context)
  const waiting = new Map<number, (agent: FoundAgent) => void>()
  const agentAt = (index: number): FoundAgent => {
    const known = agents.get(index) ?? { engineId: '', communities: [] }
    agents.set(index, known)
    return known
  }
  const base = {
    targets,
    port,
    hosts,
    tries: TRIES,
    waitMs: WAIT_MS,
    pacer,
    signal,
    onSent: () => reporter.probed(1),
  }
  const isWhole = (index: number, { engineId, communities: known }: FoundAgent): boolean =>
    engineId !== '' && known.length === communities.filter(({ isFor }) => isFor(index)).length
  const answered = (index: number): void => {
    const agent = agentAt(index)
    if (isWhole(index, agent)) waiting.get(index)?.(agent)
  }
  const engines = (): Promise<void> => {
    const id = createIds()
    return askByUdp({
      ...base,
      questionFor: (index) => buildEngineQuestion(id(index)),
      onAnswer: (index, message) => {
        const engineId = readEngine(message, id(index))
        if (engineId === undefined) return false
        agentAt(index).engineId = engineId
        answered(index)
        return true
      },
    })
  }
  const asks = communities.map(({ community, credentialId, isFor }) => {
    const id = createIds()
    return askByUdp({
      ...base,
      hosts: hosts.filter(isFor),
      questionFor: (index) => buildCommunityQuestion(id(index), community),
      onAnswer: (index, message) => {
        if (readCommunity(message, id(index)) === undefined) return false
        agentAt(index).communities.push(credentialId)
        answered(index)
        return true
      },
    })
  })
  const finish = Promise.all([engines(), ...asks]).then(() => {})
  return {
    finish,
    of: async (index) => {
      const known = agents.get(index)
      if (known && isWhole(index, known)) return known
      const early = new Promise<FoundAgent>((resolve) => waiting.set(index, resolve))
      await Promise.race([early, finish])
      waiting.delete(index)
      return agents.get(index)
    },
  }
}
