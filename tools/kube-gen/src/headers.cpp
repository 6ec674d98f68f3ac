// SPDX-License-Identifier: Apache-2.0
#include "headers.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "names.hpp"

namespace kube::gen {
namespace {

// The structs and string types of a package and their dependencies. Nodes are numbered in the order
// of their names.
class Graph {
 public:
  using Node = std::size_t;
  using Marks = std::vector<bool>;  // of nodes
  struct Edge {
    Node to = 0;
    bool by_value = false;  // must be defined earlier
    bool complete = false;  // should be defined earlier
  };

  /// @pre sorted
  explicit Graph(std::vector<std::string> names)
      : names_(std::move(names)), edges_(names_.size()) {}

  std::size_t size() const { return names_.size(); }
  const std::string& name(Node node) const { return names_[node]; }
  std::optional<Node> find(const std::string& name) const {
    const auto found = std::ranges::lower_bound(names_, name);
    if (found == names_.end() || *found != name) return std::nullopt;
    return static_cast<Node>(found - names_.begin());
  }
  void connect(Node from, Edge edge) { edges_[from].push_back(edge); }
  const std::vector<Edge>& edges(Node from) const { return edges_[from]; }
  bool needs(Node node, Node other) const {
    return std::ranges::find(edges_[node], other, &Edge::to) != edges_[node].end();
  }

  // Marks all nodes that are reachable from `node` without passing `without`.
  void reach(Node node, std::optional<Node> without, Marks& seen) const {
    if (node == without || seen[node]) return;
    seen[node] = true;
    for (const Edge& edge : edges_[node]) reach(edge.to, without, seen);
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<Edge>> edges_;
};

using Node = Graph::Node;
using Marks = Graph::Marks;

// Returns for each node the first node of its circle of mutual dependencies; mostly itself.
std::vector<Node> find_circles(const Graph& graph) {
  std::vector<Marks> reached(graph.size(), Marks(graph.size()));
  for (Node node = 0; node < graph.size(); ++node) {
    for (const Graph::Edge& edge : graph.edges(node))
      graph.reach(edge.to, std::nullopt, reached[node]);
  }
  std::vector<Node> circle(graph.size());
  for (Node node = 0; node < graph.size(); ++node) {
    Node first = 0;
    while (first < node && !(reached[node][first] && reached[first][node])) ++first;
    circle[node] = first;
  }
  return circle;
}

// Returns the node of a circle that most other nodes need: their header gets its name.
Node main_of_circle(Node node, const std::vector<Node>& circle, const Graph& graph) {
  Node best = node;
  std::ptrdiff_t max_uses = -1;
  for (Node member = 0; member < graph.size(); ++member) {
    if (circle[member] != circle[node]) continue;
    std::ptrdiff_t uses = 0;
    for (Node other = 0; other < graph.size(); ++other) {
      if (circle[other] != circle[node] && graph.needs(other, member)) ++uses;
    }
    if (uses > max_uses) {
      max_uses = uses;
      best = member;
    }
  }
  return best;
}

// An order of definitions: each after the types of its members, and where possible after all other
// types that it needs, first of all those in vectors.
// @pre No members contain each other.
struct Order {
  std::vector<Node> nodes;
  std::set<Node> used_early;
};

Order order_of(const std::set<Node>& members, const Graph& graph) {
  Order order;
  // Whether `node` needs the complete type of a member of `of`, or is one of them.
  const std::function<bool(Node, const std::set<Node>&, std::set<Node>&)> waits_for =
      [&](Node node, const std::set<Node>& of, std::set<Node>& seen) {
        if (of.contains(node)) return true;
        if (!seen.insert(node).second) return false;
        return std::ranges::any_of(graph.edges(node), [&](const Graph::Edge& edge) {
          return edge.complete && members.contains(edge.to) && waits_for(edge.to, of, seen);
        });
      };
  std::set<Node> open;
  std::set<Node> done;
  const std::function<void(Node)> visit = [&](Node node) {
    if (done.contains(node)) return;
    open.insert(node);
    for (const Graph::Edge& edge : graph.edges(node)) {
      const Node next = edge.to;
      if (!members.contains(next) || next == node || done.contains(next)) continue;
      std::set<Node> seen;
      // No open node waits for `next` when `next` is a member.
      if (!edge.by_value && waits_for(next, open, seen)) {
        order.used_early.insert(next);
      } else {
        visit(next);
      }
    }
    open.erase(node);
    done.insert(node);
    order.nodes.push_back(node);
  };
  for (const Node node : members) visit(node);
  return order;
}

}  // namespace

void arrange_headers(Layout& layout, const Choices& choices) {
  const bool each_alone = choices.each_alone.contains(layout.package->name);
  std::map<std::string, const StringType*> string_types;
  for (const StringType& type : layout.package->string_types) {
    const std::string reference = type.package + "." + type.name;
    if (!type.constants.empty() && !choices.skip.contains(reference))
      string_types[reference] = &type;
  }
  std::set<std::string> names;
  for (const auto& [reference, made] : layout.structs) names.insert(reference);
  for (const auto& [reference, type] : string_types) names.insert(reference);
  Graph graph(std::vector<std::string>(names.begin(), names.end()));
  std::vector<std::optional<Node>> item_of(graph.size());  // of list kinds
  Marks kinds(graph.size());
  for (const auto& [reference, made] : layout.structs) {
    const Node node = *graph.find(reference);
    kinds[node] = made.type->kind;
    for (const std::string& need : made.needs) {
      if (const auto other = graph.find(need))
        graph.connect(node, {*other, made.by_value.contains(need),
                             made.by_value.contains(need) || made.in_vectors.contains(need)});
    }
    const std::string item = layout.package->name + "." + made.type->item;
    if (!made.type->item.empty() && layout.structs.contains(item)) item_of[node] = graph.find(item);
  }

  // Roots: kinds, and nodes to which no other node refers. A list kind shares the header of its
  // item.
  const std::vector<Node> circle = find_circles(graph);
  Marks referred(graph.size());
  for (Node node = 0; node < graph.size(); ++node) {
    if (item_of[node]) continue;
    for (const Graph::Edge& edge : graph.edges(node)) {
      if (circle[edge.to] != circle[node]) referred[circle[edge.to]] = true;
    }
  }
  Marks roots(graph.size());
  for (Node node = 0; node < graph.size(); ++node) {
    if (item_of[node]) continue;
    if (kinds[node] || each_alone || !referred[circle[node]]) roots[circle[node]] = true;
  }

  // A node has its own header when no single other node is on all ways to it; otherwise it is in
  // the header of the nearest such node. (Dominators, by trial: packages are small.)
  std::vector<Marks> reached_without(graph.size(), Marks(graph.size()));
  for (Node node = 0; node < graph.size(); ++node) {
    for (Node root = 0; root < graph.size(); ++root) {
      if (roots[root]) graph.reach(root, node, reached_without[node]);
    }
  }
  const auto owner_of = [&](Node node) {
    // The outermost dominator, which has none itself.
    Node owner = circle[node];
    if (each_alone) return owner;
    for (Node candidate = 0; candidate < graph.size(); ++candidate) {
      const Marks& seen = reached_without[candidate];
      if (circle[candidate] == candidate && !seen[node] && !seen[owner]) owner = candidate;
    }
    return circle[owner];
  };

  std::map<Node, std::set<Node>> members;
  for (Node node = 0; node < graph.size(); ++node)
    members[owner_of(item_of[node].value_or(node))].insert(node);
  for (const auto& [owner, nodes] : members) {
    Header header;
    const std::string& main = graph.name(main_of_circle(owner, circle, graph));
    const auto chosen = choices.header_names.find(main);
    std::string name = chosen == choices.header_names.end()
                           ? snake_case(split_reference(main).second)
                           : chosen->second;
    // The header of the facts of resources, which users' types have beside them.
    if (!layout.package->namespace_.empty() && name == "resources") name += '_';
    header.path = layout.place.directory + "/" + name + ".hpp";
    const Order order = order_of(nodes, graph);
    for (const Node node : order.nodes) {
      const std::string& reference = graph.name(node);
      layout.header_of[reference] = header.path;
      if (const auto text = string_types.find(reference); text != string_types.end()) {
        header.string_types.push_back(text->second);
      } else {
        header.structs.push_back(&layout.structs.at(reference));
      }
    }
    for (const Node node : order.used_early)
      header.declared_first.push_back(&layout.structs.at(graph.name(node)));
    layout.headers.push_back(std::move(header));
  }
  std::ranges::sort(layout.headers, {}, &Header::path);
}

}  // namespace kube::gen
