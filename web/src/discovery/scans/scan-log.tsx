/** The log of a scan, and the privileges of the scanner. */
import { Card } from '../../ui/primitives.tsx'
import { Privilege } from '../privilege.tsx'
import css from '../scans.module.css'
import type { ScanDetail } from '../shapes.ts'

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

export const ScanLog = ({ scan }: { readonly scan: ScanDetail }) => (
  <div className={css.twoCards}>
    <Card title="Log">
      {scan.log.length === 0 && <p className="muted">The log is empty.</p>}
      <ol className={css.log}>
        {scan.log.map(({ at, text }, index) => (
          // Notes have no id and are never moved.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <li key={index}>
            <time dateTime={at} className="mono muted" title={at}>
              {clock.format(new Date(at))}
            </time>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </Card>
    {scan.privilege && <Privilege privilege={scan.privilege} scanner={scan.scanner_name} />}
  </div>
)
