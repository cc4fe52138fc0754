// Every bug that can be put in on purpose, by name.
import type { Plant } from './plant.ts'

const ALL: readonly Plant[] = []

export const PLANTS: ReadonlyMap<string, Plant> = new Map(ALL.map((plant) => [plant.name, plant]))
