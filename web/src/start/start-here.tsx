/** The first page of an empty server: four ways to fill it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api/client.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/primitives.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { NetworksCard } from './networks-card.tsx'
import { ScanCard } from './scan-card.tsx'
import css from './start.module.css'

/** The formats of the import page that most users come with. */
const FORMATS = [
  ['NetBox', 'netbox'],
  ['phpIPAM', 'phpipam'],
  ['Spreadsheet', 'spreadsheet'],
  ['nmap', 'nmap'],
] as const

const ImportCard = () => (
  <Card title="Bring your data">
    <p className="muted">The plan is shown first. One import is one change.</p>
    <div className={css.buttons}>
      {FORMATS.map(([text, format]) => (
        <Link key={format} to="/import" search={{ format }} className={css.tile}>
          {text}
        </Link>
      ))}
      <Link to="/import" className={css.tile}>
        Other formats
      </Link>
    </div>
  </Card>
)

const DemoCard = () => {
  const client = useQueryClient()
  const load = useMutation({
    mutationFn: () => api.demo.load({}),
    onSuccess: () => {
      toast('The demo is loaded')
      void client.invalidateQueries()
    },
    onError: (error) => toastError('The demo was not loaded', error),
  })
  return (
    <Card title="Look around first">
      <p className="muted">
        A demo: 3 sites, racks with cables, 77 devices, an inbox and a history. One click removes it again.
      </p>
      <div className={css.buttons}>
        <Button onClick={() => load.mutate()} disabled={load.isPending || load.isSuccess}>
          Load the demo
        </Button>
      </div>
    </Card>
  )
}

/** The demo needs the right to each of its writes. Few users have these. */
const DEMO_NEEDS = ['custom-fields:create', 'spaces:create', 'datacenters:create', 'feeds:create', 'dns:create']

export const StartHere = () => {
  const { mayNow } = usePermit()
  return (
    <div className={css.start}>
      <div className={css.lead}>
        <h2>Start here</h2>
        <span className="muted">Plat is empty. Any of these fills it; each can be undone.</span>
      </div>
      <div className={css.cards}>
        <ScanCard />
        <NetworksCard />
        {mayNow('devices:create') && <ImportCard />}
        {DEMO_NEEDS.every(mayNow) && <DemoCard />}
      </div>
      <p className="muted">
        Prefer a terminal?{' '}
        <a href="/help/first-day" target="_blank" rel="noopener" className="link">
          First day with Plat
        </a>{' '}
        has the same as commands.
      </p>
    </div>
  )
}
