// SPDX-License-Identifier: Apache-2.0
#include "headers.hpp"

#include <algorithm>
#include <functional>

#include "names.hpp"

namespace kube::gen {
namespace {

// The structs and string types of a package and what they need of each other.
class Graph {
 public:
  void add(const std::string& node) { edges_.try_emplace(node); }
  void connect(const std::string& from, const std::string& to) {
    if (edges_.contains(to)) edges_[from].insert(to);
  }
  const std::map<std::string, std::set<std::string>>& edges() const { return edges_; }

  // Everything reachable from `node` without passing `without`.
  void reach(const std::string& node, const std::string& without,
             std::set<std::string>& seen) const {
    if (node == without || !seen.insert(node).second) return;
    for (const std::string& next : edges_.at(node)) reach(next, without, seen);
  }

 private:
  std::map<std::string, std::set<std::string>> edges_;
};

// For each node the first one of its circle of nodes that need each other, mostly itself.
std::map<std::string, std::string> find_circles(const Graph& graph) {
  std::map<std::string, std::set<std::string>> reached;
  for (const auto& [node, edges] : graph.edges()) {
    for (const std::string& next : edges) graph.reach(next, "", reached[node]);
  }
  std::map<std::string, std::string> circle;
  for (const auto& [node, edges] : graph.edges()) {
    std::string first = node;
    for (const std::string& other : reached[node]) {
      if (other < first && reached[other].contains(node)) first = other;
    }
    circle[node] = first;
  }
  return circle;
}

// Of nodes that need each other the one that most others need, after which their header is called.
std::string main_of_circle(const std::string& node,
                           const std::map<std::string, std::string>& circle, const Graph& graph) {
  std::string best = node;
  std::ptrdiff_t most = -1;
  const std::string& circle_of_node = circle.at(node);
  for (const auto& entry : circle) {
    if (entry.second != circle_of_node) continue;
    const std::string& member = entry.first;
    const std::ptrdiff_t uses = std::ranges::count_if(graph.edges(), [&](const auto& edge) {
      return circle.at(edge.first) != circle_of_node && edge.second.contains(member);
    });
    if (uses > most) {
      most = uses;
      best = member;
    }
  }
  return best;
}

// Definitions in an order in which each comes behind what it needs, as far as there is one, and
// always behind what must be complete.
struct Order {
  std::vector<std::string> nodes;
  std::set<std::string> used_early;
};

Order order_of(const std::set<std::string>& members, const Graph& graph, const Layout& layout) {
  Order order;
  // Whether `node` needs the complete type of a member of `of`, or is one.
  const std::function<bool(const std::string&, const std::set<std::string>&,
                           std::set<std::string>&)>
      waits_for = [&](const std::string& node, const std::set<std::string>& of,
                      std::set<std::string>& seen) {
        if (of.contains(node)) return true;
        const auto made = layout.structs.find(node);
        if (made == layout.structs.end() || !seen.insert(node).second) return false;
        return std::ranges::any_of(made->second.complete, [&](const std::string& next) {
          return members.contains(next) && waits_for(next, of, seen);
        });
      };
  std::set<std::string> open;
  std::set<std::string> done;
  const std::function<void(const std::string&)> visit = [&](const std::string& node) {
    if (done.contains(node)) return;
    open.insert(node);
    for (const std::string& next : graph.edges().at(node)) {
      if (!members.contains(next) || next == node || done.contains(next)) continue;
      std::set<std::string> seen;
      if (waits_for(next, open, seen)) {
        order.used_early.insert(next);
      } else {
        visit(next);
      }
    }
    open.erase(node);
    done.insert(node);
    order.nodes.push_back(node);
  };
  for (const std::string& node : members) visit(node);
  return order;
}

}  // namespace

void arrange_headers(Layout& layout, const Choices& choices) {
  const bool each_alone = choices.each_alone.contains(layout.package->name);
  Graph graph;
  std::map<std::string, const StringType*> string_types;
  std::map<std::string, std::string> list_of;  // list kind -> item
  for (const auto& [reference, made] : layout.structs) graph.add(reference);
  for (const StringType& type : layout.package->string_types) {
    const std::string reference = type.package + "." + type.name;
    if (type.constants.empty() || choices.skip.contains(reference)) continue;
    string_types[reference] = &type;
    graph.add(reference);
  }
  for (const auto& [reference, made] : layout.structs) {
    for (const std::string& need : made.needs) graph.connect(reference, need);
    const std::string item = layout.package->name + "." + made.type->item;
    if (!made.type->item.empty() && layout.structs.contains(item)) list_of[reference] = item;
  }

  // Roots: kinds, and what nothing refers to. A list kind is at home with its item.
  const auto circle = find_circles(graph);
  std::set<std::string> referred;
  for (const auto& [node, edges] : graph.edges()) {
    if (list_of.contains(node)) continue;
    for (const std::string& next : edges) {
      if (circle.at(next) != circle.at(node)) referred.insert(circle.at(next));
    }
  }
  std::set<std::string> roots;
  for (const auto& [node, edges] : graph.edges()) {
    if (list_of.contains(node)) continue;
    const bool kind = layout.structs.contains(node) && layout.structs.at(node).type->kind;
    if (kind || each_alone || !referred.contains(circle.at(node))) roots.insert(circle.at(node));
  }

  // A node has a header of its own if there is no other node through which all ways to it lead;
  // else it lives where the nearest such node does. (Dominators, by trying: packages are small.)
  std::map<std::string, std::set<std::string>> dominated;
  const auto reached_without = [&](const std::string& without) {
    std::set<std::string> seen;
    for (const std::string& root : roots) graph.reach(root, without, seen);
    return seen;
  };
  for (const auto& [node, edges] : graph.edges()) {
    if (circle.at(node) != node) continue;
    const std::set<std::string> seen = reached_without(node);
    for (const auto& [other, unused] : graph.edges()) {
      if (!seen.contains(other)) dominated[node].insert(other);
    }
  }
  const auto owner_of = [&](const std::string& node) {
    // The outermost dominator: the one that itself has none.
    std::string owner = circle.at(node);
    if (each_alone) return owner;
    for (const auto& [candidate, under] : dominated) {
      if (under.contains(node) && dominated.at(candidate).contains(owner) && candidate != owner)
        owner = candidate;
    }
    return circle.at(owner);
  };

  std::map<std::string, std::set<std::string>> members;
  for (const auto& [node, edges] : graph.edges()) {
    const auto list = list_of.find(node);
    members[owner_of(list == list_of.end() ? node : list->second)].insert(node);
  }
  for (const auto& [owner, nodes] : members) {
    Header header;
    const std::string main = main_of_circle(owner, circle, graph);
    const auto chosen = choices.header_names.find(main);
    const std::string name = chosen == choices.header_names.end()
                                 ? snake_case(split_reference(main).second)
                                 : chosen->second;
    header.path = layout.place.directory + "/" + name + ".hpp";
    const Order order = order_of(nodes, graph, layout);
    for (const std::string& node : order.nodes) {
      layout.header_of[node] = header.path;
      if (const auto text = string_types.find(node); text != string_types.end()) {
        header.string_types.push_back(text->second);
      } else {
        header.structs.push_back(&layout.structs.at(node));
      }
    }
    for (const std::string& node : order.used_early)
      header.declared_first.push_back(&layout.structs.at(node));
    layout.headers.push_back(std::move(header));
  }
  std::ranges::sort(layout.headers, {}, &Header::path);
}

}  // namespace kube::gen
