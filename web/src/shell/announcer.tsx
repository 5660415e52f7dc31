/** Announces changes to screen readers, such as the page or the number of rows. */
import { createStore, useStore } from '../api/store.ts'

export const announced = createStore('')

export const Announcer = () => (
  <div className="sr" role="status" aria-live="polite">
    {useStore(announced)}
  </div>
)
