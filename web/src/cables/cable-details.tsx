/** The parts below the form of a cable: its owner, the path that it is a part of, and its history. */
import { Suspense, useState } from 'react'
import { LazyLabelDialog } from '../print/lazy-labels.tsx'
import { HistoryTab } from '../resource/object/history-tab.tsx'
import { ManagedBy } from '../resource/object/object-page.tsx'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/primitives.tsx'
import type { Cable } from './fields.ts'
import { CABLE } from './resource.tsx'
import { PortPath } from './trace-strip.tsx'

type Props = { readonly id: string; readonly cable: Cable | undefined }

export const CableDetails = ({ id, cable }: Props) => {
  const { may, blocked } = usePermit()
  const [isPrinting, setPrinting] = useState(false)
  return (
    <>
      <div>
        <Button onClick={() => setPrinting(true)}>Print labels…</Button>
      </div>
      {isPrinting && <LazyLabelDialog kind="cable" ids={[id]} onClose={() => setPrinting(false)} />}
      {cable && cable.managed_by !== '' && (
        <Suspense>
          <ManagedBy owner={cable.managed_by} id={id} resource={CABLE} blocked={blocked('cables:update')} />
        </Suspense>
      )}
      {cable && may('cables:read') && (
        <Card title="Path">
          <PortPath portId={cable.a.port_id} none="" />
        </Card>
      )}
      <HistoryTab kind="cable" id={id} />
    </>
  )
}
