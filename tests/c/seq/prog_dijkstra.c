// Graphs: Dijkstra with a heap, Bellman-Ford, Floyd-Warshall, BFS, DFS, topological order, union-find.
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { V = 20, E = 70 };
static struct {
  int u, v, w;
} e[E];
static int head[V], next[E], dist[V], from[V], heap[E * 2][2], hn;

static void push(int d, int v) {
  int i = hn++;
  for (; i && heap[(i - 1) / 2][0] > d; i = (i - 1) / 2) memcpy(heap[i], heap[(i - 1) / 2], sizeof heap[i]);
  heap[i][0] = d;
  heap[i][1] = v;
}
static void pop(int *d, int *v) {
  *d = heap[0][0];
  *v = heap[0][1];
  int ld = heap[--hn][0], lv = heap[hn][1], i = 0;
  for (int c; (c = 2 * i + 1) < hn; i = c) {
    if (c + 1 < hn && heap[c + 1][0] < heap[c][0]) c++;
    if (heap[c][0] >= ld) break;
    memcpy(heap[i], heap[c], sizeof heap[i]);
  }
  heap[i][0] = ld;
  heap[i][1] = lv;
}
static void dijkstra(int s) {
  for (int i = 0; i < V; i++) dist[i] = INT_MAX, from[i] = -1;
  dist[s] = 0;
  push(0, s);
  while (hn) {
    int d, u;
    pop(&d, &u);
    if (d > dist[u]) continue;
    for (int i = head[u]; i >= 0; i = next[i])
      if (d + e[i].w < dist[e[i].v]) {
        dist[e[i].v] = d + e[i].w;
        from[e[i].v] = u;
        push(dist[e[i].v], e[i].v);
      }
  }
}
static int seen[V], order[V], on;
static void dfs(int u) {
  seen[u] = 1;
  for (int i = head[u]; i >= 0; i = next[i])
    if (!seen[e[i].v]) dfs(e[i].v);
  order[on++] = u;
}
static int parent[V];
static int root(int x) { return parent[x] == x ? x : (parent[x] = root(parent[x])); }

int main(void) {
  memset(head, -1, sizeof head);
  unsigned s = 7;
  for (int i = 0; i < E; i++) {
    s = s * 1103515245u + 12345u;
    e[i].u = (int)(s >> 16) % V;
    e[i].v = (int)(s >> 8 & 0xff) % V;
    e[i].w = 1 + (int)(s >> 20) % 50;
    next[i] = head[e[i].u];
    head[e[i].u] = i;
  }
  dijkstra(0);
  long sum = 0;
  for (int i = 0; i < V; i++) printf("%d ", dist[i] == INT_MAX ? -1 : dist[i]);
  puts("");
  int path = 0;
  for (int v = V - 1; v >= 0; v = from[v]) path = path * 21 % 100003 + v;
  int bf[V];
  for (int i = 0; i < V; i++) bf[i] = i ? 1 << 20 : 0;
  for (int k = 0; k < V; k++)
    for (int i = 0; i < E; i++)
      if (bf[e[i].u] + e[i].w < bf[e[i].v]) bf[e[i].v] = bf[e[i].u] + e[i].w;
  static int fw[V][V];
  for (int i = 0; i < V; i++)
    for (int j = 0; j < V; j++) fw[i][j] = i == j ? 0 : 1 << 20;
  for (int i = 0; i < E; i++)
    if (e[i].w < fw[e[i].u][e[i].v]) fw[e[i].u][e[i].v] = e[i].w;
  for (int k = 0; k < V; k++)
    for (int i = 0; i < V; i++)
      for (int j = 0; j < V; j++)
        if (fw[i][k] + fw[k][j] < fw[i][j]) fw[i][j] = fw[i][k] + fw[k][j];
  int agree = 1;
  for (int i = 0; i < V; i++) {
    int d = dist[i] == INT_MAX ? 1 << 20 : dist[i];
    agree &= d == bf[i] && d == fw[0][i];
    for (int j = 0; j < V; j++) sum += fw[i][j] < 1 << 20 ? fw[i][j] : 7;
  }
  printf("%d %d %ld\n", path, agree, sum);
  dfs(0);
  for (int i = 0; i < on; i++) printf("%d ", order[i]);
  puts("");
  int q[V], qh = 0, qt = 0, level[V];
  memset(level, -1, sizeof level);
  q[qt++] = 0;
  level[0] = 0;
  while (qh < qt) {
    int u = q[qh++];
    for (int i = head[u]; i >= 0; i = next[i])
      if (level[e[i].v] < 0) {
        level[e[i].v] = level[u] + 1;
        q[qt++] = e[i].v;
      }
  }
  for (int i = 0; i < V; i++) printf("%d", level[i] < 0 ? 9 : level[i]);
  puts("");
  int sets = V;
  for (int i = 0; i < V; i++) parent[i] = i;
  for (int i = 0; i < E / 4; i++) {
    int a = root(e[i].u), b = root(e[i].v);
    if (a != b) parent[a] = b, sets--;
  }
  printf("%d\n", sets);
  return agree ? sets : 200;
}
