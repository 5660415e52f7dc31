/** Makes or changes a device. Its own URL, so that it can be linked to and left by going back. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { PageLoading } from '../shell/shell.tsx'
import { usePageSearch } from '../table/list-search.ts'
import { drafts } from '../ui/drafts.ts'
import { Drawer } from '../ui/layers.tsx'
import { Failure } from '../ui/states.tsx'
import { DeviceEditor } from './device-editor.tsx'
import { type DeviceForm, emptyForm, formOf } from './form.ts'
import { deviceQuery } from './queries.ts'

/** What came a moment ago, with the page under the drawer, is what is there now. */
const FRESH_MS = 2000

type Props = { readonly id: string | undefined; readonly onClose: () => void }

const NewDevice = ({ onClose }: { readonly onClose: () => void }) => {
  const { search } = usePageSearch()
  const { ip = '', pool = '', network = '' } = search
  const [initial] = useState(() => emptyForm({ ip, pool_id: pool, network_id: network }))
  // A draft without the address one came with would be another device.
  const draftKey = ip === '' ? 'device.new' : `device.new.${ip}`
  return (
    <Drawer title="New device" onClose={onClose}>
      <DeviceEditor initial={initial} draftKey={draftKey} onClose={onClose} />
    </Drawer>
  )
}

const ExistingDevice = ({ id, onClose }: { readonly id: string; readonly onClose: () => void }) => {
  // What is changed is what is there now, not what was there when the list came.
  const { data, error, refetch, isFetchedAfterMount, dataUpdatedAt } = useQuery({
    ...deviceQuery(id),
    refetchOnMount: ({ state }) => (Date.now() - state.dataUpdatedAt < FRESH_MS ? false : 'always'),
    refetchOnWindowFocus: false,
  })
  const [openedAtMs] = useState(Date.now)
  const isFresh = isFetchedAfterMount || openedAtMs - dataUpdatedAt < FRESH_MS
  const [opened, setOpened] = useState<{ readonly form: DeviceForm; readonly etag: string; readonly name: string }>()
  useEffect(() => {
    // Once: what others change later must not change under the hands.
    if (data && isFresh && !opened) setOpened({ form: formOf(data.value), etag: data.etag, name: data.value.name })
  }, [data, isFresh, opened])
  const theirs = async () => {
    const { data: fresh } = await refetch()
    if (fresh) setOpened({ form: formOf(fresh.value), etag: fresh.etag, name: fresh.value.name })
  }
  const draftKey = `device.${id}`
  return (
    <Drawer title={opened ? `Edit ${opened.name}` : 'Edit device'} onClose={onClose}>
      {!opened && error && <Failure error={error} onRetry={() => void refetch()} noun="device" />}
      {!opened && !error && <PageLoading />}
      {opened && (
        <DeviceEditor
          // Another version begins anew.
          key={opened.etag}
          id={id}
          etag={opened.etag}
          initial={opened.form}
          draftKey={draftKey}
          onClose={onClose}
          onTakeTheirs={() => {
            drafts.drop(draftKey)
            void theirs()
          }}
          onKeepMine={() => void theirs()}
        />
      )}
    </Drawer>
  )
}

export const DeviceDrawer = ({ id, onClose }: Props) =>
  id === undefined ? <NewDevice onClose={onClose} /> : <ExistingDevice key={id} id={id} onClose={onClose} />
