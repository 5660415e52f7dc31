/** The SNMP data of a host: its name, its interfaces, its neighbors. */

import { formatCount } from '../../ui/format.ts'
import { Facts } from '../../ui/primitives.tsx'
import css from '../evidence.module.css'
import type { DiscoveredDeviceDetail } from '../shapes.ts'
import { formatSpan } from '../span.ts'

const SHOWN = 64

type Snmp = NonNullable<DiscoveredDeviceDetail['snmp']>

const Interfaces = ({ interfaces }: Pick<Snmp, 'interfaces'>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
  <section className={css.scroller} tabIndex={0} aria-label="Interfaces">
    <table className={css.table}>
      <thead>
        <tr>
          <th scope="col">Interface</th>
          <th scope="col">MAC</th>
          <th scope="col">Addresses</th>
        </tr>
      </thead>
      <tbody>
        {interfaces.slice(0, SHOWN).map(({ index, name, mac, addresses }) => (
          <tr key={index}>
            <td>{name || `#${index}`}</td>
            <td className="mono">{mac}</td>
            <td className="mono">{addresses.join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {interfaces.length > SHOWN && <p className="muted">And {formatCount(interfaces.length - SHOWN)} others.</p>}
  </section>
)

const Neighbors = ({ neighbours }: Pick<Snmp, 'neighbours'>) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
  <section className={css.scroller} tabIndex={0} aria-label="Neighbors">
    <table className={css.table}>
      <thead>
        <tr>
          <th scope="col">Port</th>
          <th scope="col">Neighbor</th>
          <th scope="col">Its port</th>
          <th scope="col">Address</th>
        </tr>
      </thead>
      <tbody>
        {neighbours.slice(0, SHOWN).map(({ local_port, remote_name, remote_port, remote_address }) => (
          <tr key={`${local_port} ${remote_name} ${remote_port} ${remote_address}`}>
            <td className="mono">{local_port}</td>
            <td>{remote_name}</td>
            <td className="mono">{remote_port}</td>
            <td className="mono">{remote_address}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

export const SnmpFacts = ({ snmp }: { readonly snmp: Snmp }) => (
  <section className={css.block}>
    <h3>SNMP</h3>
    <Facts
      facts={[
        ['Name', snmp.name],
        ['Description', snmp.description],
        ['System', [snmp.system?.system, snmp.system?.version].filter(Boolean).join(' ')],
        ['Model', [snmp.system?.vendor, snmp.system?.model].filter(Boolean).join(' ')],
        [
          'Serial number',
          <span key="serial" className="mono">
            {snmp.system?.serial}
          </span>,
        ],
        ['Location', snmp.location],
        [
          'Object ID',
          <span key="object" className="mono">
            {snmp.object_id}
          </span>,
        ],
        [
          'Engine ID',
          <span key="engine" className="mono">
            {snmp.engine_id}
          </span>,
        ],
        ['Up for', formatSpan(snmp.uptime_seconds)],
      ]}
    />
    {snmp.interfaces.length > 0 && <Interfaces interfaces={snmp.interfaces} />}
    {snmp.neighbours.length > 0 && (
      <>
        <h4>Neighbors, by LLDP or CDP</h4>
        <Neighbors neighbours={snmp.neighbours} />
      </>
    )}
  </section>
)
