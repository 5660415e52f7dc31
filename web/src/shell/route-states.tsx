/** The pages for unknown paths and for failed loads. */
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { isMissingFile } from '../api/errors.ts'
import { Failure, State } from '../ui/states.tsx'
import { PageHead } from './page.tsx'

export const NotFoundPage = () => (
  <>
    <PageHead title="Not found" />
    <State
      icon={<Compass size={28} aria-hidden="true" />}
      title="There is no page at this address"
      text="It may have moved, or the address is wrong."
    >
      <Link to="/" className="link">
        To the overview
      </Link>
    </State>
  </>
)

export const RouteFailure = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter()
  const again = () => {
    // After an upgrade, the old files are gone. A reload gets the names of the new ones.
    if (isMissingFile(error)) return location.reload()
    reset()
    void router.invalidate()
  }
  return <Failure error={error} onRetry={again} />
}
