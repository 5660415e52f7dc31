/** The number of a VLAN in its form. The server can choose the one of a new VLAN. */
import { lazy, Suspense } from 'react'
import type { ControlInput } from '../resource/resource.ts'
import { TextField } from '../ui/field.tsx'

const NextField = lazy(() =>
  import('../resource/form/next-field.tsx').then((module) => ({ default: module.NextField })),
)

const LABEL = 'Number'
const HINT = '1 to 4094'

export const VlanNumber = ({ value, onChange, error, isNew }: ControlInput) => {
  const common = { label: LABEL, hint: HINT, value, onChange, error }
  if (!isNew) return <TextField {...common} isMono inputMode="numeric" required />
  return (
    <Suspense>
      <NextField {...common} isRequired />
    </Suspense>
  )
}
