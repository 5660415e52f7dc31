/** All components in their states, for development. Built only with PLAT_STORIES=1. */
import type { ReactNode } from 'react'
import { PageBody, PageHead } from '../shell/page.tsx'
import { Card } from '../ui/primitives.tsx'
import { FieldStories } from './field-stories.tsx'
import { LayerStories } from './layer-stories.tsx'
import { PrimitiveStories } from './primitive-stories.tsx'
import { StateStories } from './state-stories.tsx'
import css from './stories.module.css'
import { HeatmapStory, TableStory } from './table-stories.tsx'

const STORIES: readonly (readonly [string, ReactNode])[] = [
  ['Small things', <PrimitiveStories key="bits" />],
  ['Fields', <FieldStories key="fields" />],
  ['Layers', <LayerStories key="layers" />],
  ['Table', <TableStory key="table" />],
  ['Map of a pool', <HeatmapStory key="map" />],
  ['In the place of content', <StateStories key="states" />],
]

export const StoriesPage = () => (
  <>
    <PageHead title="Components" />
    <PageBody>
      {STORIES.map(([title, story]) => (
        <Card key={title} title={title}>
          <div className={css.story}>{story}</div>
        </Card>
      ))}
    </PageBody>
  </>
)
