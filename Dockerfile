# The service with what it needs to run, and nothing that builds or tests it.
# The digest is that of the index of all platforms: the same files on each build.
FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production
WORKDIR /app

# What decides the dependencies comes first, so that a change of the code alone does not install them again. Installing
# also generates the database client from prisma/schema.prisma.
COPY package.json package-lock.json prisma.config.ts ./
COPY prisma prisma
COPY scripts/generate.ts scripts/
RUN npm ci --omit=dev && npm cache clean --force
COPY src src
COPY openapi.json ./
RUN node src/pay/build.ts

RUN mkdir -m 700 /data && chown node:node /data
ENV HOST=0.0.0.0 PORT=4000 DATA_DIR=/data
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=64", "src/main.ts"]
