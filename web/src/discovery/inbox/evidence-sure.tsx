/** The confidence of a discovered device: its evidence, their sum, and the votes for its operating system. */
import css from '../evidence.module.css'
import { getDiscoveredName } from '../labels.ts'
import marksCss from '../marks.module.css'
import { Confidence } from '../marks.tsx'
import type { DiscoveredDeviceDetail } from '../shapes.ts'

const SOURCES: Readonly<Record<string, string>> = {
  arp: 'ARP',
  icmp: 'Ping',
  'tcp-open': 'TCP, open',
  'tcp-refused': 'TCP, refused',
  udp: 'UDP',
  snmp: 'SNMP',
  mdns: 'mDNS',
  netbios: 'NetBIOS',
  ssh: 'SSH',
  lldp: 'LLDP',
  dhcp: 'DHCP',
}

export const getSourceName = (source: string): string => SOURCES[source] ?? source

/** Returns the best evidence of each source. A second one of the same source adds nothing. */
const pickBest = (evidence: DiscoveredDeviceDetail['evidence']): DiscoveredDeviceDetail['evidence'] => {
  const best = new Map<string, DiscoveredDeviceDetail['evidence'][number]>()
  for (const one of evidence) if ((best.get(one.source)?.weight ?? -1) < one.weight) best.set(one.source, one)
  return [...best.values()].sort((a, b) => b.weight - a.weight)
}

const Bar = ({ percent }: { readonly percent: number }) => (
  <span className={css.weight} aria-hidden="true">
    <span style={{ width: `${Math.max(0, Math.min(100, percent))}%` }} />
  </span>
)

/** Shows the remaining doubt after each piece of evidence, as a product. */
const Sum = ({ discovered }: { readonly discovered: DiscoveredDeviceDetail }) => {
  const best = pickBest(discovered.evidence)
  const sum = Math.round(100 * (1 - best.reduce((doubt, { weight }) => doubt * (1 - weight), 1)))
  const taken = sum - discovered.confidence
  if (best.length === 0) return null
  return (
    <p className={css.sum}>
      <span className="mono">
        100 % − {best.map(({ weight }) => 100 - Math.round(weight * 100)).join(' % × ')} % = {sum} %
      </span>
      {taken > 0 && <span> − {taken} % for what speaks against it</span>}
      {taken !== 0 && (
        <span>
          {' '}
          → <b>{discovered.confidence}</b>
        </span>
      )}
      <span className="muted"> Each piece of evidence reduces the remaining doubt.</span>
    </p>
  )
}

/** Returns the reasons of the server that no evidence covers, such as deductions. */
const filterObjections = ({ reasons, evidence }: DiscoveredDeviceDetail): string[] =>
  reasons.filter((reason) => !evidence.some(({ detail, source }) => reason.startsWith(detail || source)))

export const Sureness = ({ discovered }: { readonly discovered: DiscoveredDeviceDetail }) => (
  <section className={css.block}>
    <h3>Evidence that it exists</h3>
    <div className={css.sure}>
      <Confidence value={discovered.confidence} label={`How sure ${getDiscoveredName(discovered)} is there`} />
    </div>
    {discovered.evidence.length === 0 && <p className="muted">No evidence is stored.</p>}
    <ul className={css.evidence}>
      {discovered.evidence.map(({ ip, source, weight, detail }) => (
        <li key={`${ip} ${source} ${detail}`}>
          <b>{getSourceName(source)}</b>
          <span>
            {detail} {discovered.addresses.length > 1 && <span className="mono muted">{ip}</span>}
          </span>
          <Bar percent={weight * 100} />
          <span className={marksCss.percent}>{Math.round(weight * 100)}%</span>
        </li>
      ))}
    </ul>
    {filterObjections(discovered).map((reason) => (
      <p key={reason} className={css.objection}>
        {reason}
      </p>
    ))}
    <Sum discovered={discovered} />
  </section>
)

export const OsVotes = ({ discovered }: { readonly discovered: DiscoveredDeviceDetail }) =>
  discovered.os_votes.length === 0 ? null : (
    <section className={css.block}>
      <h3>Operating system</h3>
      <p>
        <b>{discovered.os_guess || 'Not clear'}</b>{' '}
        {discovered.os_guess !== '' && <span className="muted">{discovered.os_confidence} % sure</span>}
      </p>
      <ul className={css.evidence}>
        {discovered.os_votes.map(({ os, weight, because }) => (
          <li key={`${os} ${because}`}>
            <b>{os}</b>
            <span>{because}</span>
            <Bar percent={weight} />
            <span className={marksCss.percent}>{Math.round(weight)}%</span>
          </li>
        ))}
      </ul>
    </section>
  )
