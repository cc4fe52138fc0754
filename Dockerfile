# The service with what it needs to run, and nothing that builds or tests it.
# The digest is that of the index of all platforms: the same files on each build.
FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS base
WORKDIR /app

FROM base AS build
# What decides the dependencies comes first, so that a change of the code alone does not install them again.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY prisma.config.ts ./
COPY scripts/generate.ts scripts/install.ts scripts/made-of.ts scripts/trim.ts scripts/
COPY prisma prisma
COPY src src
RUN node scripts/install.ts && npm prune --omit=dev --ignore-scripts --no-save && node scripts/install.ts
# The base has Node.
RUN rm -rf node_modules/.bin node_modules/node-linux-* node_modules/@types

FROM base
ENV NODE_ENV=production
COPY package.json openapi.json ./
COPY prisma/migrations prisma/migrations
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/src src

RUN mkdir -m 700 /data && chown node:node /data
# The allocator of the base keeps what is freed for each thread, and returns it to the system only with these.
ENV MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
ENV HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=40", "src/main.ts"]
