/** The scanners of a network, with their states. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Network } from '../api/contracts.ts'
import { usePermit } from '../shell/me.ts'
import { usePageSearch } from '../table/list-search.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/primitives.tsx'
import { answersTo, describeLabel } from './labels.ts'
import { ScannerStatus } from './marks.tsx'
import { type Scanner, scannersQuery } from './queries.ts'
import css from './scanners.module.css'

const NONE: readonly Scanner[] = []

export const TakerCard = ({ network: { id, scanner: label } }: { readonly network: Network }) => {
  const { may, blocked } = usePermit()
  const { set } = usePageSearch()
  const isAllowed = may('scanners:list')
  const { data } = useQuery({ ...scannersQuery, enabled: isAllowed })
  const some = (data ?? NONE).filter((one) => answersTo(one, label))
  const isKnown = label === '' || data !== undefined
  return (
    <Card
      title="Scanner"
      actions={
        <Button onClick={() => void set({ edit: id })} blocked={blocked('networks:update')}>
          Change
        </Button>
      }
    >
      <p>
        {label !== '' && <b>{label}</b>} <span className="muted">{isKnown && describeLabel(label, some)}</span>
      </p>
      <ul className={css.lines}>
        {some.map((one) => (
          <li key={one.id}>
            <Link to="/scanners/$id" params={{ id: one.id }} search={{}} className="link">
              {one.name}
            </Link>
            <ScannerStatus {...one} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
