/** Placeholders where no content is shown. */
import { AppError } from '../../../src/platform/contract/errors.ts'
import { PageLoading } from '../shell/shell.tsx'
import { Button } from '../ui/button.tsx'
import { Failure, State } from '../ui/states.tsx'
import css from './stories.module.css'

const again = () => {}

export const StateStories = () => (
  <div className={css.columns}>
    <div className={css.state}>
      <State title="No devices yet" text="A device is anything with an address.">
        <Button look="primary">New device</Button>
      </State>
    </div>
    <div className={css.state}>
      <State title="Nothing matches “web”" text="There are 1,234 without the filter.">
        <Button>Clear filter</Button>
      </State>
    </div>
    <div className={css.state}>
      <Failure error={new AppError('FORBIDDEN', 'This needs the permission users:list')} />
    </div>
    <div className={css.state}>
      <Failure error={new AppError('NOT_FOUND', 'no device has the id x')} noun="device" />
    </div>
    <div className={css.state}>
      <Failure error={new AppError('UNAVAILABLE', 'Can’t reach the server')} onRetry={again} />
    </div>
    <div className={css.state}>
      <Failure error={new AppError('INTERNAL_ERROR', 'Something broke')} onRetry={again} />
    </div>
    <div className={css.state}>
      <PageLoading />
    </div>
  </div>
)
