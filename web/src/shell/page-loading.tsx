/** Shown while a page or a part of it loads. Short waits show nothing. */
import { Skeleton } from '../ui/primitives.tsx'
import css from './shell.module.css'

export const PageLoading = () => (
  <div className={css.loading} role="status" aria-label="Loading">
    <Skeleton width="30%" />
    <Skeleton width="55%" />
    <Skeleton width="45%" />
  </div>
)
