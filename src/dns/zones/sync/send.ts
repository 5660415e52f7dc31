/** Sends updates to a server, and finds the RRsets that it does not take. Does not use the database. */
import { isExactValue } from '../../../net/dns/value.ts'
import type { DnsClient } from '../../client/client.ts'
import { DnsError } from '../../client/dns-error.ts'
import type { Rrset } from '../rrset-store.ts'
import { toFullName } from '../zone-index.ts'
import { compareWithServer, HOLDS, markBlocked, type ServerRrset } from './compare-rrset.ts'
import { buildUpdate, MOST_BYTES, type RrsetUpdate, splitIntoMessages } from './update-message.ts'

type Sender = {
  readonly client: DnsClient
  readonly zone: string
  readonly signal: AbortSignal
  readonly onResult: (result: 'ok' | 'refused' | 'prerequisite' | 'failed') => void
}

/** Asks for one RRset, and for a CNAME at its name. */
export const ask = async (
  { client, zone, signal }: Pick<Sender, 'client' | 'zone' | 'signal'>,
  { name, type }: Pick<Rrset, 'name' | 'type'>,
): Promise<{ readonly there: ServerRrset | undefined; readonly cname: string | undefined }> => {
  const full = toFullName(name, zone)
  const { answers } = await client.query({ name: full, type }, signal)
  const own = answers.filter((record) => record.name === full && record.type === type)
  const cname = answers.find((record) => record.name === full && record.type === 'CNAME')?.value
  if (own.length === 0) return { there: undefined, cname }
  const there = {
    values: own.map(({ value }) => value).sort(),
    ttl: own[0]?.ttl ?? 0,
    isExact: own.every(({ rdata }) => isExactValue(type, rdata)),
  }
  return { there, cname }
}

const markPublished = (rrset: Rrset): Rrset => ({
  ...rrset,
  ...{ state: 'published', message: '', published: rrset.wanted, published_ttl: rrset.wanted_ttl, sending: null },
})

/** @throws DnsError if the server takes nothing, or cannot be reached */
export const createSend = ({ client, zone, signal, onResult }: Sender) => {
  /** True once the server has accepted an update: a later refusal is then about that one update. */
  let isPermitted = false

  /** @throws DnsError if the server takes no update at all */
  const probe = async (): Promise<void> => {
    if (!isPermitted) await client.update({ zone, prerequisites: [], changes: [] }, signal)
    isPermitted = true
  }

  const compareOne = async (rrset: Rrset, rcode: string | undefined): Promise<Rrset> => {
    const { there, cname } = await ask({ client, zone, signal }, rrset)
    const isUsed = rcode === 'YXDOMAIN' && !there
    const beside = cname !== undefined && rrset.type !== 'CNAME' ? `${HOLDS} CNAME ${cname}` : undefined
    return compareWithServer(rrset, there, isUsed ? `${HOLDS} other records at this name` : beside)
  }

  const sendHalves = async (updates: readonly RrsetUpdate[]): Promise<Rrset[]> => {
    const middle = Math.ceil(updates.length / 2)
    return [...(await sendUpdates(updates.slice(0, middle))), ...(await sendUpdates(updates.slice(middle)))]
  }

  const sendUpdates = async (updates: readonly RrsetUpdate[]): Promise<Rrset[]> => {
    const [first] = updates
    if (!first) return []
    try {
      await client.update(
        {
          zone,
          prerequisites: updates.flatMap(({ prerequisites }) => prerequisites),
          changes: updates.flatMap(({ changes }) => changes),
        },
        signal,
      )
      isPermitted = true
      onResult('ok')
      return updates.map(({ rrset }) => markPublished(rrset))
    } catch (error) {
      if (!(error instanceof DnsError)) throw error
      if (error.kind === 'prerequisite') {
        onResult('prerequisite')
        isPermitted = true
        return updates.length > 1 ? sendHalves(updates) : [await compareOne(first.rrset, error.rcode)]
      }
      const isRefusal = error.isSigned && (error.kind === 'refused' || error.kind === 'failed')
      onResult(isRefusal ? 'refused' : 'failed')
      if (!isRefusal) throw error
      await probe()
      // Servers refuse a whole message for one name, such as an address of a name that no host may have.
      if (updates.length > 1) return sendHalves(updates)
      return [{ ...markBlocked(first.rrset, error.message), published: first.rrset.published }]
    }
  }

  /** Returns each RRset as it stands then. */
  const send = async (rrsets: readonly Rrset[], onMessage: Record<'before' | 'after', Step>): Promise<void> => {
    const updates = rrsets.map((rrset) => buildUpdate(rrset, zone))
    const tooLong = updates.filter(({ bytes }) => bytes > MOST_BYTES)
    if (tooLong.length > 0)
      await onMessage.after(tooLong.map(({ rrset }) => markBlocked(rrset, 'has more bytes than a message can hold')))
    for (const message of splitIntoMessages(updates.filter(({ bytes }) => bytes <= MOST_BYTES))) {
      await onMessage.before(message.map(({ rrset }) => ({ ...rrset, sending: rrset.wanted })))
      await onMessage.after(await sendUpdates(message))
    }
  }
  return send
}

type Step = (rrsets: readonly Rrset[]) => Promise<void>
