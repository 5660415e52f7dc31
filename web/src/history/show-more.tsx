/** The button that loads the next rows of a list. */
import { Button } from '../ui/button.tsx'

type Props = {
  readonly query: {
    readonly hasNextPage: boolean
    readonly isFetching: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
}

export const ShowMore = ({ query: { hasNextPage, isFetching, fetchNextPage } }: Props) =>
  hasNextPage && (
    <Button onClick={() => void fetchNextPage()} disabled={isFetching}>
      Show more
    </Button>
  )
