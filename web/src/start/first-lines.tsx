/** The lines above the overview: there is no device yet, or what is shown is the demo. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { api, call, write } from '../api/client.ts'
import { type Change, contracts, type Dashboard } from '../api/contracts.ts'
import { createRemembered } from '../api/remembered.ts'
import { useStore } from '../api/store.ts'
import { useReport } from '../proposals/known-proposals.ts'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { plural } from '../ui/format.ts'
import { Confirm } from '../ui/layers.tsx'
import { toastError } from '../ui/toast.tsx'
import css from './start.module.css'

const DeletePreview = lazy(async () => ({ default: (await import('../history/delete-preview.tsx')).DeletePreview }))

const isHidden = createRemembered('plat.no-device-yet-hidden', (stored) => stored === true)

const NoDeviceYet = ({ networks }: { readonly networks: number }) => {
  const { may, mayNow } = usePermit()
  if (useStore(isHidden)) return null
  return (
    <div className={css.line}>
      <p>{plural(networks, 'network')}, and no device yet.</p>
      {may('discovery:create') && (
        <Link to="/scans" search={{ new: '1' }} className="link">
          Scan them
        </Link>
      )}
      {mayNow('devices:create') && (
        <Link to="/import" className="link">
          Import devices
        </Link>
      )}
      {may('devices:create') && (
        <Link to="/devices" search={{ new: '1' }} className="link">
          New device
        </Link>
      )}
      <Button look="quiet" onClick={() => isHidden.set(true)}>
        Hide
      </Button>
    </div>
  )
}

// The answer of a dry run is the change that the call would make.
const loadPreview = () => call(contracts.demo.remove, { dry_run: 'changes' } as never) as unknown as Promise<Change>

const DemoLine = () => {
  const client = useQueryClient()
  const { blockedNow } = usePermit()
  const [isAsked, setAsked] = useState(false)
  const { data } = useQuery({ queryKey: ['demo'], queryFn: () => api.demo.show({}), retry: false })
  const report = useReport()
  const remove = useMutation({
    mutationFn: () => write(contracts.demo.remove, {}),
    onSuccess: (written) => {
      report('The demo is removed', written)
      void client.invalidateQueries()
    },
    onError: (error) => toastError('The demo is still there', error),
  })
  if (!data?.loaded) return null
  return (
    <div className={css.line}>
      <p>This is the demo.</p>
      <Button blocked={blockedNow('devices:delete')} onClick={() => setAsked(true)}>
        Remove the demo
      </Button>
      {isAsked && (
        <Confirm
          title="Remove the demo?"
          action="Remove the demo"
          onConfirm={() => remove.mutate()}
          onClose={() => setAsked(false)}
        >
          Its objects go, and what is in them.
          <Suspense>
            <DeletePreview ids={['demo']} load={loadPreview} />
          </Suspense>
        </Confirm>
      )}
    </div>
  )
}

export const FirstLines = ({ dashboard: { networks, devices } }: { readonly dashboard: Dashboard }) => (
  <>
    {(networks ?? 0) > 0 && devices === 0 && <NoDeviceYet networks={networks ?? 0} />}
    {(devices ?? 0) > 0 && <DemoLine />}
  </>
)
