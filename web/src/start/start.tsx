/** The beginning of the overview, until there are devices, and while the demo is loaded. */
import type { Dashboard } from '../api/contracts.ts'
import { FirstLines } from './first-lines.tsx'
import { StartHere } from './start-here.tsx'

type Props = { readonly dashboard: Dashboard; readonly isEmpty: boolean | undefined }

export const Start = ({ dashboard, isEmpty }: Props) => (isEmpty ? <StartHere /> : <FirstLines dashboard={dashboard} />)
