/** The overview of a scanner: the networks that it is in, its capabilities and its details. */
import { Check, Minus } from 'lucide-react'
import { isPast } from '../api/as-of.ts'
import { listFacts } from '../resource/columns.tsx'
import { Card, CopyText, Facts, Tags, TimeAgo } from '../ui/primitives.tsx'
import { fields } from './fields.ts'
import { ABILITIES, formatProtocol } from './labels.ts'
import { LinksCard } from './links-card.tsx'
import type { Scanner } from './queries.ts'
import css from './scanners.module.css'

const AbilitiesCard = ({ scanner: { capabilities } }: { readonly scanner: Scanner }) => (
  <Card title="Capabilities">
    <ul className={css.lines}>
      {ABILITIES.map(({ key, name, use, missing }) => {
        const can = capabilities[key]
        return (
          <li key={key} data-can={can}>
            {can ? <Check size={14} aria-label="can" /> : <Minus size={14} aria-label="cannot" />}
            <b>{name}</b>
            <span className="muted">{can ? use : missing}</span>
          </li>
        )
      })}
    </ul>
    {ABILITIES.some(({ key }) => !capabilities[key]) && (
      <p className={css.note}>
        <code className="mono">plat scanner run --check</code> shows the command that grants more. Run it on its
        machine.
      </p>
    )}
  </Card>
)

const DETAILS = ['tags', 'description', 'use_credentials', 'protocol', 'id', 'created_at', 'updated_at']

export const ScannerOverview = ({ scanner }: { readonly scanner: Scanner }) => (
  <>
    {!isPast() && <LinksCard scanner={scanner} />}
    {scanner.enrolled_at !== null && <AbilitiesCard scanner={scanner} />}
    <Card title="Details">
      <Facts
        facts={listFacts(fields, scanner, DETAILS, {
          tags: scanner.tags.length > 0 && <Tags tags={scanner.tags} />,
          use_credentials: scanner.use_credentials
            ? 'sent to it for deep scans, encrypted'
            : 'not sent: deep scans go without sign-ins',
          protocol: formatProtocol(scanner.protocol),
          id: <CopyText text={scanner.id} label="ID" />,
          created_at: <TimeAgo at={scanner.created_at} />,
          updated_at: <TimeAgo at={scanner.updated_at} />,
        })}
      />
    </Card>
  </>
)
