/** The privileges of the scanner, and the command that grants more. */
import { Check, Minus } from 'lucide-react'
import { Card, CopyText } from '../ui/primitives.tsx'
import css from './scans.module.css'
import type { ScanDetail } from './shapes.ts'

const ABILITIES = [
  ['icmp', 'Ping', 'finds hosts without an open port'],
  ['arp', 'ARP', 'sees the MAC of every host on its own link, fast'],
  ['neighbours', 'Neighbor table', 'reads the MACs in the table of the system'],
] as const

type Props = {
  readonly privilege: NonNullable<ScanDetail['privilege']>
  /** The name of the scanner; '' for the server. */
  readonly scanner: string
}

export const Privilege = ({ privilege, scanner }: Props) => (
  <Card title="Privileges of the scanner">
    <ul className={css.abilities}>
      {ABILITIES.map(([name, text, note]) => {
        const can = privilege[name]
        return (
          <li key={name} data-can={can}>
            {can ? <Check size={14} aria-label="may" /> : <Minus size={14} aria-label="may not" />}
            <b>{text}</b>
            <span className="muted">{note}</span>
          </li>
        )
      })}
    </ul>
    {privilege.advice !== '' && (
      <div className={css.advice}>
        <p>To grant more, run this command on {scanner === '' ? 'the server' : `the machine of ${scanner}`}:</p>
        <CopyText text={privilege.advice} label="the command" />
      </div>
    )}
  </Card>
)
